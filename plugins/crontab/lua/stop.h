struct lua_State;
/* stop ends the program with the error on top of Lua's stack. */
_Noreturn void stop(struct lua_State *L);

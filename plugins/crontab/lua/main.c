/* Lua for WASI: runs the script that the first argument names. An error ends the program with its text on standard
 * error and exit code 1, which refuses the objects. WASI has no longjmp, so pcall cannot catch an error. */
#include <stdio.h>
#include <stdlib.h>

#include "lauxlib.h"
#include "lua.h"
#include "lualib.h"

_Noreturn void stop(lua_State *L) {
	const char *text = lua_tostring(L, -1);
	fprintf(stderr, "%s\n", text ? text : "an error without a text");
	exit(1);
}

static int panic(lua_State *L) { stop(L); }

/* What liolib and loslib need and WASI does not have. */
int system(const char *command) { return (void)command, -1; }
FILE *tmpfile(void) { return NULL; }
char *tmpnam(char *name) { return (void)name, NULL; }

int main(int argc, char **argv) {
	if (argc < 2) {
		fputs("usage: lua SCRIPT\n", stderr);
		return 2;
	}
	lua_State *L = luaL_newstate();
	if (!L) {
		fputs("out of memory\n", stderr);
		__builtin_trap();
	}
	lua_atpanic(L, panic);
	luaL_openlibs(L);
	lua_createtable(L, argc, 0);
	for (int i = 0; i < argc; i++) {
		lua_pushstring(L, argv[i]);
		lua_rawseti(L, -2, i - 1);
	}
	lua_setglobal(L, "arg");
	if (luaL_loadfile(L, argv[1]) != LUA_OK) stop(L);
	lua_call(L, 0, 0);
	fflush(stdout);
	exit(0); /* without closing the state: the instance ends here */
}

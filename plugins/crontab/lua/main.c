/* Lua for WASI: runs the script that the first argument names. An error that no pcall catches ends the program with
 * its text on standard error and exit code 1, which refuses the objects. */
#include <stdio.h>
#include <stdlib.h>

#include "lauxlib.h"
#include "lua.h"
#include "lualib.h"

/* What liolib and loslib need and WASI does not have. */
int system(const char *command) { return (void)command, -1; }
FILE *tmpfile(void) { return NULL; }
char *tmpnam(char *name) { return (void)name, NULL; }

static int run(lua_State *L, int argc, char **argv) {
	luaL_openlibs(L);
	lua_createtable(L, argc, 0);
	for (int i = 0; i < argc; i++) {
		lua_pushstring(L, argv[i]);
		lua_rawseti(L, -2, i - 1);
	}
	lua_setglobal(L, "arg");
	int failed = luaL_loadfile(L, argv[1]);
	return failed ? failed : lua_pcall(L, 0, 0, 0);
}

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
	if (run(L, argc, argv)) {
		const char *text = lua_tostring(L, -1);
		if (!text) text = "an error without a text";
		for (; *text; text++) fputc(*text == '\n' ? ' ' : *text, stderr); /* its last line is the reason of the refusal */
		exit(1);
	}
	fflush(stdout);
	exit(0); /* without closing the state: the instance ends here */
}

/* Runs a converter natively, for tests with the sanitizers: reads a stream of (length, request frame) from standard input and
 * writes (length, response frame) to standard output. Link with the converter's own file; -I must find crosswalk.h. */
#include "crosswalk.h"

#include <stdio.h>
#include <string.h>

int main(void)
{
	uint32_t size;
	while (fread(&size, sizeof size, 1, stdin) == 1) {
		char *request = cw_request(size);
		if (!request || fread(request, 1, size, stdin) != size)
			return 2;
		cw_str response = cw_answer(request, size);
		if (!response.at)
			return 3;
		fwrite(&response.len, sizeof response.len, 1, stdout);
		fwrite(response.at, 1, response.len, stdout);
	}
	return fflush(stdout) != 0;
}

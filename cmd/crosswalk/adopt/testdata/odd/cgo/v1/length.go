package v1

// #include <string.h>
import "C"

func length() string { return C.GoString(C.strdup(C.CString("a"))) }

/* Errors without longjmp, which WASI lacks: crosswalk compile makes functions return while an error is on its way, up to
 * a call that is followed by one of crosswalk_caught. */
__attribute__((import_module("crosswalk"), import_name("throw"))) int crosswalk_throw(void);
__attribute__((import_module("crosswalk"), import_name("caught"))) int crosswalk_caught(void);

#define LUAI_THROW(L, c) crosswalk_throw()
/* The call in a is that of f. A compiler that knew f could make it inline, and other calls would stand before caught. */
#define LUAI_TRY(L, c, a) \
	{ \
		Pfunc volatile unknown = f; \
		{ \
			Pfunc f = unknown; \
			a crosswalk_caught(); \
		} \
	}

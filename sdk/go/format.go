package crosswalk

import (
	"errors"
	"strconv"
)

// Errorf returns an error that refuses an object. It supports the verbs %s and %v (strings, []byte,
// errors, values with a String method, integers, booleans), %d (integers), %t (booleans) and %q (a
// JSON string), without flags. It exists because package fmt would make modules larger.
func Errorf(format string, args ...any) error {
	return errors.New(string(appendf(nil, format, args)))
}

// appendf appends the formatted text to dst.
func appendf(dst []byte, format string, args []any) []byte {
	for i := 0; i < len(format); i++ {
		if format[i] != '%' || i+1 == len(format) {
			dst = append(dst, format[i])
			continue
		}
		i++
		switch verb := format[i]; {
		case verb == '%':
			dst = append(dst, '%')
		case len(args) == 0:
			dst = append(append(dst, "%!"...), verb)
		default:
			dst = appendArg(dst, verb, args[0])
			args = args[1:]
		}
	}
	return dst
}

// appendArg appends one argument. It writes an argument of an unknown type as "(?)": a mistake in a
// message is not a reason to fail.
func appendArg(dst []byte, verb byte, arg any) []byte {
	text := ""
	switch v := arg.(type) {
	case string:
		text = v
	case []byte:
		text = string(v)
	case error:
		text = v.Error()
	case interface{ String() string }:
		text = v.String()
	case bool:
		text = strconv.FormatBool(v)
	case int:
		text = strconv.Itoa(v)
	case int32:
		text = strconv.FormatInt(int64(v), 10)
	case int64:
		text = strconv.FormatInt(v, 10)
	case uint8:
		text = strconv.FormatUint(uint64(v), 10)
	case uint32:
		text = strconv.FormatUint(uint64(v), 10)
	case uint64:
		text = strconv.FormatUint(v, 10)
	case nil:
		text = "nil"
	default:
		text = "(?)"
	}
	if verb == 'q' {
		return Quote(dst, text)
	}
	return append(dst, text...)
}

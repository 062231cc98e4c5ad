package codec

import (
	"fmt"
	"reflect"
	"strconv"
	"time"
	"unsafe"
)

// rfc3339Micro is the format of MicroTime.
const rfc3339Micro = "2006-01-02T15:04:05.000000Z07:00"

// known returns the op of a type of apimachinery whose memory is as expected;
// opUnsupported for others.
func known(t reflect.Type) op {
	if t.Kind() != reflect.Struct || t.NumField() == 0 {
		return opUnsupported
	}
	first := t.Field(0)
	switch t.PkgPath() + "." + t.Name() {
	case "k8s.io/apimachinery/pkg/apis/meta/v1.Time":
		if t.NumField() == 1 && first.Type == reflect.TypeFor[time.Time]() {
			return opTime
		}
	case "k8s.io/apimachinery/pkg/apis/meta/v1.MicroTime":
		if t.NumField() == 1 && first.Type == reflect.TypeFor[time.Time]() {
			return opMicroTime
		}
	case "k8s.io/apimachinery/pkg/apis/meta/v1.Duration":
		if t.NumField() == 1 && first.Type == reflect.TypeFor[time.Duration]() {
			return opDuration
		}
	case "k8s.io/apimachinery/pkg/apis/meta/v1.FieldsV1":
		if t.NumField() == 1 && first.Type == reflect.TypeFor[[]byte]() {
			return opFieldsV1
		}
	case "k8s.io/apimachinery/pkg/util/intstr.IntOrString":
		if t.NumField() == 3 && first.Type.Kind() == reflect.Int64 && t.Field(1).Type.Kind() == reflect.Int32 && t.Field(2).Type.Kind() == reflect.String {
			return opIntOrString
		}
	case "k8s.io/apimachinery/pkg/runtime.RawExtension":
		if t.NumField() == 2 && first.Type == reflect.TypeFor[[]byte]() && t.Field(1).Type.Kind() == reflect.Interface {
			return opRawExtension
		}
	}
	return opUnsupported
}

// intOrString has the memory of intstr.IntOrString.
type intOrString struct {
	form   int64 // 0 is a number, 1 a string
	number int32
	text   string
}

func (e *encoder) known(dst []byte, p *plan, v unsafe.Pointer) ([]byte, error) {
	switch p.op {
	case opTime, opMicroTime:
		t := *(*time.Time)(v)
		if t.IsZero() {
			return append(dst, "null"...), nil
		}
		format := time.RFC3339
		if p.op == opMicroTime {
			format = rfc3339Micro
		}
		return append(t.UTC().AppendFormat(append(dst, '"'), format), '"'), nil
	case opDuration:
		return appendString(dst, (*(*time.Duration)(v)).String()), nil
	case opIntOrString:
		switch is := (*intOrString)(v); is.form {
		case 0:
			return strconv.AppendInt(dst, int64(is.number), 10), nil
		case 1:
			return appendString(dst, is.text), nil
		}
		return dst, fmt.Errorf("json: error calling MarshalJSON for type %s: impossible IntOrString.Type", p.t)
	case opRawExtension:
		raw := *(*[]byte)(v)
		if inner := p.value(v).Field(1).Elem(); raw == nil && inner.IsValid() {
			return e.dynamic(dst, inner)
		}
		if raw != nil {
			return appendCompact(dst, raw)
		}
	case opFieldsV1:
		if raw := *(*[]byte)(v); len(raw) > 0 {
			return appendCompact(dst, raw)
		}
	}
	return append(dst, "null"...), nil
}

func (d *decoder) known(p *plan, v unsafe.Pointer) error {
	c := d.text[d.pos]
	switch p.op {
	case opRawExtension, opFieldsV1:
		start := d.pos
		if err := d.skip(); err != nil {
			return err
		}
		if c != 'n' {
			*(*[]byte)(v) = []byte(d.text[start:d.pos])
		}
		return nil
	case opIntOrString:
		return d.intOrString(p, (*intOrString)(v))
	}
	if c == 'n' && p.op != opDuration {
		*(*time.Time)(v) = time.Time{}
		return d.word("null")
	}
	if c != '"' {
		return &TypeError{Value: kindOf(c), Type: reflect.TypeFor[string]()} // as encoding/json says it for these types
	}
	s, err := d.string()
	if err != nil {
		return err
	}
	switch p.op {
	case opDuration:
		*(*time.Duration)(v), err = time.ParseDuration(s)
		return err
	default:
		format := time.RFC3339
		if p.op == opMicroTime {
			format = rfc3339Micro
		}
		t, err := time.Parse(format, s)
		*(*time.Time)(v) = t.Local()
		return err
	}
}

func (d *decoder) intOrString(p *plan, is *intOrString) (err error) {
	switch c := d.text[d.pos]; {
	case c == '"':
		is.form = 1
		is.text, err = d.string()
		return err
	case c == 'n':
		is.form = 0
		return d.word("null")
	case c != '-' && c-'0' > 9:
		return p.wrong("value that is neither a number nor a string")
	}
	text, err := d.number()
	if err != nil {
		return err
	}
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil {
		return p.wrong("number " + text)
	}
	is.form, is.number = 0, int32(n)
	return nil
}

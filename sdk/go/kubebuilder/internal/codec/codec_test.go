package codec

//lint:file-ignore SA5008 the tags that encoding/json ignores or misreads are test cases

import (
	"encoding/json"
	"fmt"
	"math/rand"
	"reflect"
	"strings"
	"testing"
	"time"
)

func standard() Fallback { return Fallback{Marshal: json.Marshal, Unmarshal: json.Unmarshal} }

// Types with the rules of encoding/json that generated types do not have.
type (
	both struct { // both directions, by pointer
		text string
	}
	byValue  struct{ N int }
	textKey  struct{ A, B string }
	celsius  float64
	name     string
	intKey   int16
	zeroable struct{ N int }

	Inner struct {
		A string `json:"a"`
		B int    `json:"b,omitempty"`
	}
	Other struct {
		B int `json:"b"`
		C string
	}
	Tagged struct {
		D string `json:"C"`
	}
	hidden struct {
		E string `json:"e"`
	}
	Deep struct {
		*Inner
		Other
		Tagged
		hidden
		Z *Deep `json:"z,omitempty"`
	}
	Locked struct {
		*hidden
		F string `json:"f"`
	}
	Named struct {
		Inner `json:"inner"`
		Other `json:",inline"`
	}
	namer interface{ Name() string }
	Dash  struct {
		A string `json:"-"`
		B string `json:"-,"`
		C string `json:"bad\"name"`
		D string `json:"<html>"`
		E string `json:"sträng"`
		F string `json:"K"`
		G string `json:"k"`
	}
	Texts struct {
		A int      `json:"a,string"`
		B *int     `json:"b,string"`
		C string   `json:"c,string"`
		D bool     `json:"d,string,omitempty"`
		E float32  `json:"e,string"`
		F *uint8   `json:"f,omitempty,string"`
		G []int    `json:"g,string"`
		H celsius  `json:"h,string"`
		I *string  `json:"i,string"`
		J textKind `json:"j,string"`
	}
	textKind int
	Zeros    struct {
		A int            `json:"a,omitzero"`
		B zeroable       `json:"b,omitzero"`
		C *zeroable      `json:"c,omitzero"`
		D time.Time      `json:"d,omitzero"`
		E [2]int         `json:"e,omitempty"`
		F [0]int         `json:"f,omitempty"`
		G map[string]int `json:"g,omitzero"`
		H []string       `json:"h,omitempty"`
		I any            `json:"i,omitempty"`
		J Inner          `json:"j,omitempty"`
		K Inner          `json:"k,omitzero"`
		L zeroPointer    `json:"l,omitzero"`
		M isZeroer       `json:"m,omitzero"`
	}
	zeroPointer struct{ N int }
	isZeroer    interface{ IsZero() bool }
	Methods     struct {
		A both             `json:"a"`
		B *both            `json:"b,omitempty"`
		C []both           `json:"c"`
		D map[string]both  `json:"d"`
		E byValue          `json:"e"`
		F map[string]*both `json:"f"`
		G map[textKey]int  `json:"g"`
		H map[intKey]name  `json:"h"`
		I map[name]name    `json:"i"`
		J []byte           `json:"j"`
		K json.RawMessage  `json:"k"`
		L *json.RawMessage `json:"l"`
		M json.Number      `json:"m"`
		N [3]both          `json:"n"`
		O *time.Time       `json:"o"`
		P map[uint8]bool   `json:"p"`
		Q textKind         `json:"q"`
		R []textKind       `json:"r"`
		S *[]*string       `json:"s"`
		T **int            `json:"t"`
		U [2]byte          `json:"u"`
		V any              `json:"v"`
		W map[string]any   `json:"w"`
		X []any            `json:"x"`
		Y celsius          `json:"y"`
		Z float32          `json:"z"`
	}
	Unsupported struct {
		A map[bool]int `json:"a"`
		B chan int     `json:"b,omitempty"`
		C namer        `json:"c"`
	}
)

func (b *both) MarshalJSON() ([]byte, error) {
	return []byte(`{ "text" : ` + string(appendString(nil, "<"+b.text)) + " }"), nil
}

func (b *both) UnmarshalJSON(text []byte) error {
	b.text = strings.ToUpper(string(text))
	if strings.Contains(b.text, "FAIL") {
		return fmt.Errorf("refused")
	}
	return nil
}

func (b byValue) MarshalJSON() ([]byte, error) { return json.Marshal(b.N + 1) }

func (k textKey) MarshalText() ([]byte, error) { return []byte(k.A + "&" + k.B), nil }

func (k *textKey) UnmarshalText(text []byte) error {
	k.A, k.B, _ = strings.Cut(string(text), "&")
	return nil
}

func (z zeroable) IsZero() bool { return z.N == 7 }

func (z *zeroPointer) IsZero() bool { return z.N == 8 }

func (k textKind) MarshalText() ([]byte, error) { return []byte(fmt.Sprintf("<%d>", int(k))), nil }

func (k *textKind) UnmarshalText(text []byte) error {
	_, err := fmt.Sscanf(string(text), "<%d>", (*int)(k))
	return err
}

func (n name) Name() string { return string(n) }

// fixed returns the types above.
func fixed() []reflect.Type {
	return []reflect.Type{
		reflect.TypeFor[Deep](), reflect.TypeFor[Named](), reflect.TypeFor[Dash](), reflect.TypeFor[Texts](), reflect.TypeFor[Zeros](),
		reflect.TypeFor[Methods](), reflect.TypeFor[Locked](), reflect.TypeFor[map[string]Methods](), reflect.TypeFor[[]*Deep](),
		reflect.TypeFor[Unsupported](), reflect.TypeFor[any](), reflect.TypeFor[struct{ both }](), reflect.TypeFor[struct{ A struct{ both } }](),
	}
}

// generated returns a random struct type.
func generated(r *rand.Rand, depth int) reflect.Type {
	scalars := []reflect.Type{
		reflect.TypeFor[bool](), reflect.TypeFor[string](), reflect.TypeFor[int](), reflect.TypeFor[int8](), reflect.TypeFor[uint16](),
		reflect.TypeFor[int32](), reflect.TypeFor[uint64](), reflect.TypeFor[float64](), reflect.TypeFor[float32](), reflect.TypeFor[any](),
		reflect.TypeFor[[]byte](), reflect.TypeFor[map[string]string](), reflect.TypeFor[json.RawMessage](), reflect.TypeFor[name](),
		reflect.TypeFor[both](), reflect.TypeFor[time.Time](), reflect.TypeFor[Inner](), reflect.TypeFor[Deep](), reflect.TypeFor[textKind](),
	}
	var fields []reflect.StructField
	for i := range 1 + r.Intn(6) {
		t := scalars[r.Intn(len(scalars))]
		switch n := r.Intn(10); {
		case depth > 0 && n < 3:
			t = generated(r, depth-1)
		}
		switch r.Intn(8) {
		case 0:
			t = reflect.PointerTo(t)
		case 1:
			t = reflect.SliceOf(t)
		case 2:
			t = reflect.MapOf(reflect.TypeFor[string](), t)
		case 3:
			t = reflect.ArrayOf(r.Intn(3), t)
		}
		tag := ""
		if r.Intn(4) > 0 {
			tag = string(rune('a' + r.Intn(8)))
		}
		for _, option := range []string{",omitempty", ",omitzero", ",string"} {
			if r.Intn(3) == 0 {
				tag += option
			}
		}
		fields = append(fields, reflect.StructField{Name: fmt.Sprintf("F%d", i), Type: t, Tag: reflect.StructTag(`json:"` + tag + `"`)})
	}
	return reflect.StructOf(fields)
}

// fill puts random things into v.
func fill(r *rand.Rand, v reflect.Value, depth int) {
	words := []string{"", "a", "<b>&", "é", "line\u2028", "bad\xff", "\x00\t\"\\", "12", "<3>", "null"}
	if depth < 0 || r.Intn(6) == 0 {
		return
	}
	if v.Type() == reflect.TypeFor[json.Number]() {
		v.SetString([]string{"", "1", "-2.5e+3", "x", "01"}[r.Intn(5)])
		return
	}
	if v.Type() == reflect.TypeFor[json.RawMessage]() {
		v.SetBytes([]byte([]string{"null", ` { "a" : "<" } `, "[1, 2]", `"\u2028`, "tru"}[r.Intn(5)]))
		return
	}
	if v.Type() == reflect.TypeFor[time.Time]() {
		v.Set(reflect.ValueOf(time.Unix(r.Int63n(1e9), 0).UTC()))
		return
	}
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(r.Intn(2) == 0)
	case reflect.String:
		v.SetString(words[r.Intn(len(words))])
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt([]int64{0, 1, -1, 7, 8, r.Int63()}[r.Intn(6)])
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint([]uint64{0, 1, r.Uint64()}[r.Intn(3)])
	case reflect.Float32, reflect.Float64:
		v.SetFloat([]float64{0, 1, -0.5, 1e-7, 1e-10, 1e21, 123456789, r.NormFloat64()}[r.Intn(8)])
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(r, v.Elem(), depth-1)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), r.Intn(4), 5))
		fallthrough
	case reflect.Array:
		for i := range v.Len() {
			fill(r, v.Index(i), depth-1)
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for range r.Intn(4) {
			key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			fill(r, key, 2)
			fill(r, value, depth-1)
			v.SetMapIndex(key, value)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Field(i).CanSet() {
				fill(r, v.Field(i), depth-1)
			}
		}
	case reflect.Interface:
		some := []any{nil, true, "s<", 1.5, int64(4), map[string]any{"b": 1, "a": []any{nil}}, []any{}, &both{"x"}, both{"y"}, name("n"), byValue{3},
			map[string]string{"x": "y"}, map[textKey]both{{"a", "b"}: {"c"}}, zeroable{7}, (*both)(nil), (*zeroable)(nil)}
		if value := reflect.ValueOf(some[r.Intn(len(some))]); value.IsValid() && value.Type().AssignableTo(v.Type()) {
			v.Set(value)
		}
	}
}

// mutate changes JSON text: mostly into other JSON.
func mutate(r *rand.Rand, text string) string {
	swaps := []string{"null", "true", `""`, "0", "-1", "1.5", "1e400", "300", "{}", "[]", `{"a":1}`, `{"A":"x","a":"y"}`, `[1,"2",null]`, `"YWJj"`, `"\ud800\u0041\udc00"`,
		"\"\xff\xed\"", `"12"`, `"<4>"`, `"null"`, `"true"`, `"\"q\""`, `"fail"`, " ", ",", `"2020-01-02T03:04:05Z"`, `"0x1p4"`, `"-"`, "01", `"nul"`, `"12 "`, `"\"a\" "`}
	var tokens []string
	for rest := text; rest != ""; {
		n := 1
		switch d := decoderOf(nil, padded(rest)); rest[0] {
		case '{', '}', '[', ']', ',', ':':
		default:
			if d.skip() == nil && d.pos > 0 {
				n = d.pos
			}
		}
		tokens = append(tokens, rest[:n])
		rest = rest[n:]
	}
	for range 1 + r.Intn(2) {
		if len(tokens) == 0 {
			break
		}
		i := r.Intn(len(tokens))
		switch token := tokens[i]; {
		case r.Intn(12) == 0:
			tokens = append(tokens[:i], tokens[i+1:]...)
		case strings.Contains("{}[],:", token):
			tokens[i] = " " + token + "\n"
		case i+1 < len(tokens) && tokens[i+1] == ":":
			tokens[i] = []string{strings.ToUpper(token), strings.ToLower(token), `"unknown"`, `"\u0061"`, `"K"`}[r.Intn(5)]
		default:
			tokens[i] = swaps[r.Intn(len(swaps))]
		}
	}
	return strings.Join(tokens, "")
}

// compareEncoding compares the codec's text for v, a pointer, with that of encoding/json; it
// returns the text, "" if both fail.
func compareEncoding(t *testing.T, c *Codec, v reflect.Value) string {
	t.Helper()
	want, wantErr := json.Marshal(v.Interface())
	got, err := c.Append(nil, v.UnsafePointer())
	if (err != nil) != (wantErr != nil) || err == nil && string(got) != string(want) {
		t.Fatalf("%s:\ngot  %s, %v\nwant %s, %v", v.Type(), got, err, want, wantErr)
	}
	if err != nil {
		return ""
	}
	return string(got)
}

func compareDecoding(t *testing.T, c *Codec, of reflect.Type, text string) (decoded bool) {
	t.Helper()
	want, got := reflect.New(of), reflect.New(of)
	wantErr := json.Unmarshal([]byte(text), want.Interface())
	err := c.Decode([]byte(text), got.UnsafePointer())
	if (err != nil) != (wantErr != nil) || err == nil && !reflect.DeepEqual(got.Interface(), want.Interface()) {
		t.Fatalf("%s of %s:\ngot  %+v, %v\nwant %+v, %v", of, text, got, err, want, wantErr)
	}
	return err == nil
}

// TestCodecEqualsEncodingJSON compares over types that are written above and generated, and random
// values and texts.
func TestCodecEqualsEncodingJSON(t *testing.T) {
	rounds := 200
	if testing.Short() {
		rounds = 40
	}
	r := rand.New(rand.NewSource(1))
	types := fixed()
	for range rounds {
		types = append(types, generated(r, 2))
	}
	encoded, decoded, refused := 0, 0, 0
	for i, of := range types {
		values := 10
		if i < len(fixed()) {
			values = 2 * rounds
		}
		set := NewSet(standard())
		c := set.Codec(of)
		for range values {
			v := reflect.New(of)
			fill(r, v.Elem(), 6)
			text := compareEncoding(t, c, v)
			if text == "" {
				continue
			}
			encoded++
			compareDecoding(t, c, of, text)
			for range 6 {
				if compareDecoding(t, c, of, mutate(r, text)) {
					decoded++
				} else {
					refused++
				}
			}
		}
	}
	t.Logf("%d values encoded, %d changed texts decoded, %d refused", encoded, decoded, refused)
	if encoded < 10*rounds || decoded < 20*rounds || refused < 10*rounds {
		t.Errorf("too few were compared: %d, %d, %d", encoded, decoded, refused)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(`{"a":"x","b":1,"C":"y","e":"z","z":{"a":null}}`)
	f.Add(`{"a":{},"c":[1],"d":{"x":{}},"g":{"a&b":1},"h":{"5":"n"},"k":[1, 2],"m":1e5,"u":[1,2,3],"v":{"x":[null]}}`)
	f.Add(`{"a":"1","b":"2","c":"\"s\"","d":"true","e":"1.5","f":"8","h":"3","i":"null","j":"<3>"}`)
	types := fixed()
	set := NewSet(standard())
	f.Fuzz(func(t *testing.T, text string) {
		for _, of := range types {
			if compareDecoding(t, set.Codec(of), of, text) {
				v := reflect.New(of)
				_ = json.Unmarshal([]byte(text), v.Interface())
				compareEncoding(t, set.Codec(of), v)
			}
		}
	})
}

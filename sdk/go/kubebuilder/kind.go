package kubebuilder

import (
	"fmt"
	"reflect"

	crosswalk "github.com/crosswalk-gateway/crosswalk/sdk/go"
	"github.com/crosswalk-gateway/crosswalk/sdk/go/kubebuilder/internal/codec"
)

// Kind is one kind of resource in all its versions.
type Kind struct {
	// Hub is the version that all others convert to and from.
	Hub Version
	// Spokes are the other versions. One is converted to another by way of the hub.
	Spokes []Version
	// Lossless keeps fields that a spoke lacks in an annotation until the object changes in that
	// version (crosswalk.Lossless). A conversion to a spoke then costs a second one. Leave it false
	// for types that preserve such fields themselves.
	Lossless bool
	// Metadata names the members of the metadata that the conversions read beside labels and
	// annotations, such as name. The others are not decoded, and are zero in the types. nil means
	// that all are decoded. It has no effect with Unmarshal.
	Metadata []string
	// Exact decodes objects as API servers and the webhooks of controller-runtime do: spec is not
	// Spec, and an integer in a field of type any is an int64. Otherwise the rules are those of
	// encoding/json. It has no effect with Unmarshal.
	Exact bool
	// Unmarshal decodes an object; nil means a codec, which is several times faster.
	Unmarshal func(data []byte, v any) error
}

// Version is a Go type for one version of a kind. Make it with [Hub] or [Spoke], or with [HubType]
// and [SpokeFunc].
type Version struct {
	apiVersion string
	of         reflect.Type               // a struct
	to, from   func(spoke, hub any) error // of a spoke
	accepts    func(hub any) bool
	defaults   func(v any) // of a result in the version; or nil
}

// WithDefaults returns a version whose results setDefaults completes: objects that were converted
// to it for the API server, not those on the way to another version. knative's webhook calls SetDefaults like
// this.
func WithDefaults[T any](v Version, setDefaults func(o *T)) Version {
	v.defaults = func(o any) { setDefaults(o.(*T)) }
	return v
}

// Hub describes the version that has the method Hub; sample is a pointer to its type, and any value
// will do. apiVersion is "group/version".
func Hub[H interface{ Hub() }](apiVersion string, sample H) Version {
	return Version{apiVersion: apiVersion, of: typeOf(sample)}
}

// Spoke describes a version that has the methods ConvertTo and ConvertFrom; sample is a pointer to
// its type, with any value. H is controller-runtime's conversion.Hub, in any release.
func Spoke[H any, S interface {
	ConvertTo(hub H) error
	ConvertFrom(hub H) error
}](apiVersion string, sample S) Version {
	return Version{
		apiVersion: apiVersion,
		of:         typeOf(sample),
		to:         func(spoke, hub any) error { return spoke.(S).ConvertTo(hub.(H)) },
		from:       func(spoke, hub any) error { return spoke.(S).ConvertFrom(hub.(H)) },
		accepts:    func(hub any) bool { _, ok := hub.(H); return ok },
	}
}

// HubType describes the version H that all others convert to and from. It needs no method.
func HubType[H any](apiVersion string) Version {
	return Version{apiVersion: apiVersion, of: typeOf(new(H))}
}

// SpokeFunc describes a version S that two functions convert to the hub H and from it. Each fills
// its second argument, which is zero. It is for conversions that are not methods, and for methods
// of another form, such as knative's:
//
//	kubebuilder.SpokeFunc("tekton.dev/v1beta1",
//		func(spoke *v1beta1.Task, hub *v1.Task) error { return spoke.ConvertTo(context.Background(), hub) },
//		func(hub *v1.Task, spoke *v1beta1.Task) error { return spoke.ConvertFrom(context.Background(), hub) })
func SpokeFunc[S, H any](apiVersion string, to func(spoke *S, hub *H) error, from func(hub *H, spoke *S) error) Version {
	return Version{
		apiVersion: apiVersion,
		of:         typeOf(new(S)),
		to:         func(spoke, hub any) error { return to(spoke.(*S), hub.(*H)) },
		from:       func(spoke, hub any) error { return from(hub.(*H), spoke.(*S)) },
		accepts:    func(hub any) bool { _, ok := hub.(*H); return ok },
	}
}

func typeOf(sample any) reflect.Type {
	t := reflect.TypeOf(sample)
	if t == nil || t.Kind() != reflect.Pointer || t.Elem().Kind() != reflect.Struct {
		panic(fmt.Sprintf("kubebuilder: a version needs a pointer to a struct as a sample, not a %T", sample))
	}
	return t.Elem()
}

// make returns a pointer to a new value of the version's type.
func (v Version) make() any { return reflect.New(v.of).Interface() }

// Register makes the conversions between all versions of a kind those of the module. It is meant to
// be called in init, once for each kind. A kind that makes no sense is a mistake in the module:
// Register panics, and the module does not load.
func Register(k Kind) {
	set := newSet()
	conversions := k.conversions(set)
	for _, c := range conversions {
		if c.text != nil {
			crosswalk.RegisterText(c.from, c.to, c.text, c.convert)
		} else {
			crosswalk.Register(c.from, c.to, c.convert)
		}
	}
	for _, v := range append(k.Spokes[:len(k.Spokes):len(k.Spokes)], k.Hub) {
		warm(set, k.Unmarshal, v.of)
	}
	for _, c := range conversions {
		warmConversion(set, c)
	}
	set.Warm()
}

// conversion is one direction.
type conversion struct {
	from, to string
	in       reflect.Type
	convert  crosswalk.Converter
	text     crosswalk.TextConverter // or nil
}

// conversions returns those between the hub and its spokes, and from spoke to spoke.
func (k Kind) conversions(set *codec.Set) (all []conversion) {
	if k.Hub.of == nil || k.Hub.to != nil || len(k.Spokes) == 0 {
		panic("kubebuilder: a kind needs a version made with Hub, and at least one made with Spoke")
	}
	for _, spoke := range k.Spokes {
		if spoke.to == nil || !spoke.accepts(k.Hub.make()) {
			panic(fmt.Sprintf("kubebuilder: %s needs a version made with Spoke that converts to %s", spoke.apiVersion, k.Hub.apiVersion))
		}
		all = append(all, k.conversion(set, spoke, k.Hub), k.conversion(set, k.Hub, spoke))
		for _, other := range k.Spokes {
			if other.apiVersion != spoke.apiVersion {
				all = append(all, k.conversion(set, spoke, other))
			}
		}
	}
	return all
}

// conversion returns the one from one version to another.
func (k Kind) conversion(set *codec.Set, from, to Version) conversion {
	between := k.between(set, from, to)
	c := conversion{from: from.apiVersion, to: to.apiVersion, in: from.of, convert: between.object}
	switch {
	case !k.Lossless:
		c.text = between.textTo(to.apiVersion)
	case to.apiVersion == k.Hub.apiVersion: // which has a field for everything
		c.convert = restoring(between.object)
	default:
		c.convert = lossless(between.object, k.between(set, to, from).object)
	}
	return c
}

// between returns the types' own conversion from one version to another.
func (k Kind) between(set *codec.Set, from, to Version) *conversionOf {
	hubs := set.Codec(k.Hub.of)
	convert := func(in, out any) error {
		hub := hubs.Pointer(hubs.New())
		if err := from.to(in, hub); err != nil {
			return err
		}
		return to.from(out, hub)
	}
	switch k.Hub.apiVersion {
	case to.apiVersion:
		convert = from.to
	case from.apiVersion:
		convert = func(hub, spoke any) error { return to.from(spoke, hub) }
	}
	if bare := convert; to.defaults != nil {
		convert = func(in, out any) error {
			err := bare(in, out)
			if err == nil {
				to.defaults(out)
			}
			return err
		}
	}
	c := newConversion(set, k.Unmarshal, from.of, to.of, convert)
	c.meta = resultMetaOf(from.of, to.of, to.apiVersion)
	if k.Exact {
		c.decode = c.decode.Matching(codec.Matching{ExactNames: true, Integers: true})
		c.read = c.decode
	}
	if k.Metadata != nil {
		c.read = c.decode.OfMetadata(k.Metadata)
	}
	return c
}

// RegisterFunc makes convert the conversion from one apiVersion ("group/version") to another: it
// fills out, which is zero, from in, metadata included. In and Out are structs for whole objects,
// with or without a field for apiVersion and kind, which are seen to. An error refuses the object.
// It is meant to be called in init; see [crosswalk.Register].
func RegisterFunc[In, Out any](from, to string, convert func(in *In, out *Out) error) {
	c := function(convert)
	if text := c.textTo(to); text != nil {
		crosswalk.RegisterText(from, to, text, c.object)
	} else {
		crosswalk.Register(from, to, c.object)
	}
}

// Converter returns convert as a converter of raw objects, for those who want to do something
// before or after it. Make it in init: the tables of the two types are built when it is made.
func Converter[In, Out any](convert func(in *In, out *Out) error) crosswalk.Converter {
	return function(convert).object
}

func function[In, Out any](convert func(in *In, out *Out) error) *conversionOf {
	set, in, out := newSet(), reflect.TypeFor[In](), reflect.TypeFor[Out]()
	c := newConversion(set, nil, in, out, func(in, out any) error { return convert(in.(*In), out.(*Out)) })
	warm(set, nil, in)
	warm(set, nil, out)
	return c
}

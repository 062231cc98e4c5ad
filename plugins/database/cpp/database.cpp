// Converts Database.db.example.com between v1beta1 and v1, which says much that v1beta1 has no fields for: it is kept in the stash
// while the object is in v1beta1.
#define CROSSWALK_IMPLEMENTATION
#include "crosswalk.hpp"

using crosswalk::object;
using crosswalk::path;
using crosswalk::value;

// Paths of the fields that both v1 and v1beta1 have, in each version.
static constexpr path engine{"spec", "engine"}, version{"spec", "version"};
static constexpr path image{"spec", "image"}; // v1beta1: engine and version
static constexpr path size{"spec", "storage", "size"}, storage_size{"spec", "storageSize"}; // v1beta1: the latter
static constexpr path users{"spec", "users"};

static void to_beta(object o)
{
	// The maintenance window was chosen for the database as a whole. TLS and the storage's class have nothing to do with anything
	// that v1beta1 knows. Roles go with the user they were given to.
	o.stash({"spec", "maintenance"});
	o.stash_for({"spec", "tls"});
	o.stash_for({"spec", "storage", "class"});
	o.stash({"status", "members"});
	for (value user : o.elements(users)) {
		user.stash_for("roles", "/spec/users");
		auto name = user.string("name");
		if (!name)
			return o.refuse(user.location("name"), " must be there: v1beta1 has nothing else of a user");
		user.set({}, *name);
	}
	if (!o.join(image, ":", {"engine", "version"})) {
		o.stash_for(engine, "/spec/image");
		o.stash_for(version, "/spec/image");
	}
	o.move(size, storage_size);
	value storage = o["spec"]["storage"];
	if (storage.type() == crosswalk::type::object && storage.members().empty())
		storage.remove();
}

static void to_v1(object o)
{
	o.restore();
	for (value user : o.elements(users)) {
		auto name = user.string();
		if (!name)
			return o.refuse(user.location(), " must be a string, but is null");
		user.set({}, crosswalk::raw{"{}"});
		user.set("name", *name);
	}
	o.split(image, ":", {"engine", "version"});
	o.move(storage_size, size);
}

static const crosswalk::conversion conversions[] = {
	{"db.example.com/v1beta1", "db.example.com/v1", crosswalk::convert<to_v1>},
	{"db.example.com/v1", "db.example.com/v1beta1", crosswalk::convert<to_beta>},
};
CW_MODULE(conversions, "database", "1.0.0", "Apache-2.0")

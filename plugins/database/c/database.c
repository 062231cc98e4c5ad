/* Converts Database.db.example.com between v1beta1 and v1, which says much that v1beta1 has no fields for: it is kept in the
 * stash while the object is in v1beta1. */
#define CROSSWALK_IMPLEMENTATION
#include "crosswalk.h"
#include "crosswalk_helpers.h"
#include "crosswalk_stash.h"

static const char *const image_parts[] = {"engine", "version"};

/* What in v1beta1 the values were taken for that are kept. */
static const char *const users_of_beta[] = {"/spec/users"};
static const char *const image_of_beta[] = {"/spec/image"};

static int to_beta(cw_object *o)
{
	cw_value *spec = cw_get(o, "spec"), *storage = cw_get(spec, "storage"), *users;
	/* The maintenance window was chosen for the database as a whole. TLS and the storage's class have nothing to do with
	 * anything that v1beta1 knows. Roles go with the user they were given to. */
	cw_stash(spec, "maintenance");
	cw_stash_for(spec, "tls", NULL, 0);
	cw_stash_for(storage, "class", NULL, 0);
	cw_stash(cw_get(o, "status"), "members");
	if (cw_list(spec, "users", &users) < 0)
		return -1;
	for (cw_value *user = cw_first(users); user; user = cw_next(user)) {
		cw_str name;
		cw_stash_for(user, "roles", users_of_beta, 1);
		int found = cw_string(user, "name", &name);
		if (found < 0)
			return -1;
		if (!found) {
			cw_str at = cw_location(user, "name");
			return cw_refuse(o, "%.*s must be there: v1beta1 has nothing else of a user", CW_ARG(at));
		}
		cw_set_str(user, NULL, name);
	}
	if (cw_join(spec, "image", ":", image_parts, 2) == 0)
		for (int i = 0; i < 2; i++)
			cw_stash_for(spec, image_parts[i], image_of_beta, 1);
	cw_move(storage, "size", spec, "storageSize");
	if (cw_typeof(storage) == CW_OBJECT && !cw_first(storage))
		cw_remove(storage, NULL);
	return 0;
}

static int to_v1(cw_object *o)
{
	cw_value *spec = cw_get(o, "spec"), *users;
	cw_str name, size;
	cw_restore(o);
	if (cw_list(spec, "users", &users) < 0)
		return -1;
	for (cw_value *user = cw_first(users); user; user = cw_next(user)) {
		int found = cw_string(user, NULL, &name);
		if (found < 0)
			return -1;
		if (!found) {
			cw_str at = cw_location(user, NULL);
			return cw_refuse(o, "%.*s must be a string, but is null", CW_ARG(at));
		}
		cw_set_raw(user, NULL, (cw_str){"{}", 2});
		cw_set_str(user, "name", name);
	}
	cw_split(spec, "image", ":", image_parts, 2);
	if (cw_raw(spec, "storageSize", &size)) /* spec.storage is not made for nothing */
		cw_move(spec, "storageSize", cw_make(spec, "storage"), "size");
	return 0;
}

static const cw_conversion conversions[] = {
	{"db.example.com/v1beta1", "db.example.com/v1", to_v1},
	{"db.example.com/v1", "db.example.com/v1beta1", to_beta},
};
CW_MODULE(conversions, "database", "1.0.0", "Apache-2.0")

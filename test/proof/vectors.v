(* Vectors: rules, an object, and the conversions that rules.v means, as JSON. A Go test compares them with the compiled rules. *)
Require Import String Ascii ZArith Bool Arith DecimalString List.
Require Import Crosswalk.tree Crosswalk.rules Crosswalk.verbs.
Import ListNotations.
Open Scope list_scope.

(* ---- JSON ---- *)

Definition quote : string := String (ascii_of_nat 34) EmptyString.
Definition line : string := String (ascii_of_nat 10) EmptyString.
Definition cat (l : list string) : string := String.concat "" l.
Definition quoted (s : string) : string := cat [quote; s; quote].
Definition show_number (z : Z) : string := NilZero.string_of_int (Z.to_int z).
Definition list_text (l : list string) : string := cat ["["; String.concat "," l; "]"]%string.
Definition object_text (l : list (string * string)) : string :=
  cat ["{"; String.concat "," (map (fun m => cat [quoted (fst m); ":"; snd m]) l); "}"]%string.
Fixpoint show (t : tree) : string :=
  match t with Tree n l =>
    match n with
    | Null => "null"
    | Boolean b => if b then "true" else "false"
    | Number z => show_number z
    | Text s => quoted s
    | Items => list_text (map (fun m => show (snd m)) l)
    | Object => object_text (map (fun m => (match fst m with Key k => k | At i => show_number (Z.of_nat i) end, show (snd m))) l)
    end
  end%string.
Definition pointer (p : path) : string :=
  cat (map (fun k => cat ["/"; match k with Key k => k | At i => show_number (Z.of_nat i) end]) p)%string.

(* What the stash keeps: the pointer of each value, the value, and the pointers that it depends on. *)
Definition kept_text (c : conversion) (s : state) : string :=
  let entry (on : list path) (f : path * option tree) := match f with
    | (a, Some v) => [(pointer a, object_text [("for", list_text (map (fun p => quoted (pointer p)) on)); ("value", show v)])]
    | _ => [] end%string in
  object_text (flat_map (fun rk => match rk with (r, Some p) => flat_map (entry (on_new r)) (combine (old r) (saved p)) | _ => [] end) (combine (rules c) (kept s))
    ++ flat_map (fun le => match le with (l, Some _) => entry (watch c l) (l, Some hollow) | _ => [] end) (combine (lone_old c) (empty s))).

(* ---- examples ---- *)

Definition members (l : list (string * tree)) : tree := Tree Object (map (fun m => (Key (fst m), snd m)) l).
Definition strings (l : list string) : tree := items (map text l).
Definition at_spec (l : list string) : path := Key "spec" :: map Key l.
Definition spec (l : list (string * tree)) : tree := members [("spec", members l)]%string.
Definition below (p : path) (l : list string) : path := p ++ map Key l.
Definition field (name : string) : path := at_spec [name].

(* An example converts an object of the version from, has a client edit it there, and converts it back. c is the conversion of the rules
   from that version. *)
Record example := { from : string; texts : list string; c : conversion; given : tree; edits : tree -> tree }.
Definition unedited (t : tree) : tree := t.
Definition example_text (e : example) : string :=
  let there := convert (c e) (bare (given e)) in
  let edited := edits e (object there) in
  let back := convert (backwards (c e)) (edit edited there) in
  object_text [("from", quoted (from e)); ("rules", list_text (map quoted (texts e))); ("object", show (given e)); ("converted", show (object there));
    ("kept", kept_text (c e) there); ("edited", show edited); ("back", show (object back))]%string.

Open Scope string_scope.

Definition renames := {| rules := [move (field "colour") (field "color"); move (field "a") (field "b"); move (field "b") (field "a")];
  lone_old := []; lone_new := [] |}.
Definition rename_texts := ["{rename: spec.colour, to: spec.color}"; "{rename: spec.a, to: spec.b}"; "{rename: spec.b, to: spec.a}"].
Definition shift := {| rules := [move (field "a") (field "b"); move (field "b") (field "c")]; lone_old := []; lone_new := [] |}.

(* The objects around: storage is in v2 alone, limits in v1 alone. *)
Definition moves := {| rules := [move (field "size") (at_spec ["storage"; "size"]); move (field "class") (at_spec ["storage"; "class"; "name"]);
    move (at_spec ["limits"; "cpu"]) (field "cpu"); drop_new (at_spec ["storage"; "tier"]) []];
  lone_old := [field "limits"]; lone_new := [field "storage"; at_spec ["storage"; "class"]] |}.
Definition move_texts := ["{move: spec.size, to: spec.storage.size}"; "{move: spec.class, to: spec.storage.class.name}";
  "{move: spec.limits.cpu, to: spec.cpu}"; "{drop: spec.storage.tier, in: v2}"].

Definition drops := {| rules := [drop_new (field "tls") []; drop_new (field "roles") [field "users"]; drop_old (field "legacy") []];
  lone_old := []; lone_new := [] |}.
Definition drop_texts := ["{drop: spec.tls, in: v2}"; "{drop: spec.roles, in: v2, for: [spec.users]}"; "{drop: spec.legacy, in: v1}"].
Definition dropping := spec [("tls", members [("min", text "1.3")]); ("users", strings ["a"; "b"]); ("roles", strings ["x"]); ("n", number 1)].

Definition policies := {| rules := [translate [(text "keep", text "Retain"); (text "delete", text "Delete")] (field "policy") (field "onDelete");
    translate [(Tree (Boolean true) [], text "True"); (Tree (Boolean false) [], text "False")] (field "ready") (at_spec ["state"; "ready"])];
  lone_old := []; lone_new := [field "state"] |}.
Definition policy_texts := ["{translate: spec.policy, to: spec.onDelete, values: [[keep, Retain], [delete, Delete]]}";
  "{translate: spec.ready, to: spec.state.ready, values: [[true, 'True'], [false, 'False']]}"].
Definition merges := {| rules := [translate [(text "a", text "X"); (text "b", text "X"); (text "c", text "Y")] (field "k") (field "l")]; lone_old := []; lone_new := [] |}.
Definition merge_texts := ["{translate: spec.k, to: spec.l, values: [[a, X], [b, X], [c, Y]], merge: true}"].

Definition units := {| rules := [scale 60 (field "minutes") (field "seconds"); scale 1000 (field "gigas") (field "megas")]; lone_old := []; lone_new := [] |}.
Definition unit_texts := ["{convert: spec.minutes, to: spec.seconds, as: [min, s]}"; "{convert: spec.gigas, to: spec.megas, as: [G, M]}"].

Definition splits := {| rules := [split ":" (field "image") (field "name") (field "tag"); split_list "," (field "zones") (field "zoneList")];
  lone_old := []; lone_new := [] |}.
Definition split_texts := ["{split: spec.image, to: [spec.name, spec.tag], separator: ':', at: first, unfit: stash}";
  "{splitList: spec.zones, to: spec.zoneList, separator: ',', unfit: stash}"].

Definition boxes := {| rules := [nest "name" (field "owner") (field "owner"); wrap (field "host") (field "hosts")]; lone_old := []; lone_new := [] |}.
Definition box_texts := ["{nest: spec.owner, key: name, type: string}"; "{wrap: spec.host, to: spec.hosts, type: string}"].

Definition user (element : path) : list rule := [move (below element ["id"]) (below element ["name"]); drop_new (below element ["roles"]) []].
Definition users (n : nat) := {| rules := each (field "users") n user; lone_old := []; lone_new := [] |}.
Definition user_texts := ["{rename: 'spec.users[].id', to: 'spec.users[].name'}"; "{drop: 'spec.users[].roles', in: v2}"].
Definition two_users := spec [("n", number 1); ("users", items [members [("name", text "a"); ("roles", strings ["x"])]; members [("name", text "b")]])].

(* An object that only v2 has, in each element: the rules of ../../shared/proofs, without the rules inside the list of volumes. *)
Definition pool (element : path) : list rule := [move (below element ["volumes"]) (below element ["storage"; "volumes"]); drop_new (below element ["storage"; "class"]) []].
Definition pool_path (i : nat) : path := (at_spec ["pools"] ++ [At i])%list.
Definition pools (n : nat) := {| rules := each (field "pools") n pool; lone_old := []; lone_new := map (fun i => below (pool_path i) ["storage"]) (seq 0 n) |}.
Definition pool_texts := ["{move: 'spec.pools[].volumes', to: 'spec.pools[].storage.volumes'}"; "{drop: 'spec.pools[].storage.class', in: v2}"].
Definition two_pools := spec [("pools", items [members [("min", number 0); ("storage", members [("volumes", strings ["5Gi"]); ("class", text "fast")])];
  members [("min", number 11); ("storage", hollow)]])].

(* The rules of wrong.v, as they were. No element of the moved list is there, so the rules in it do nothing. *)
Definition volumes := {| rules := [move (field "volumes") (at_spec ["storage"; "volumes"])]; lone_old := []; lone_new := [field "storage"] |}.
Definition volume_texts := ["{move: spec.volumes, to: spec.storage.volumes, each: [{rename: size, to: capacity}, {drop: class, in: v2}]}"].
Definition pool_volume_texts := ["{move: 'spec.pools[].volumes', to: 'spec.pools[].storage.volumes', each: [{rename: size, to: capacity}, {drop: class, in: v2}]}"].
Definition hollow_pools := spec [("pools", items [members [("min", number 0); ("storage", members [("volumes", items [])])]; members [("min", number 11); ("storage", hollow)]])].

Definition v1 := "v1". Definition v2 := "v2".
Definition forth f t o d := {| from := v1; texts := t; c := f; given := o; edits := d |}.
Definition from2 f t o d := {| from := v2; texts := t; c := backwards f; given := o; edits := d |}.
Definition puts name v := put (field name) v.

Definition examples : list example := [
  forth renames rename_texts (spec [("colour", text "red"); ("a", number 1); ("b", number 2); ("n", Tree Null [])]) unedited;
  forth renames rename_texts (spec [("a", members [("x", number 1)])]) (puts "a" (number 7));
  forth shift ["{rename: spec.a, to: spec.b}"; "{rename: spec.b, to: spec.c}"] (spec [("a", number 1); ("b", number 2)]) unedited;
  from2 shift ["{rename: spec.a, to: spec.b}"; "{rename: spec.b, to: spec.c}"] (spec [("c", number 1)]) (puts "a" (number 3));

  forth moves move_texts (spec [("size", number 5); ("class", text "ssd"); ("limits", members [("cpu", text "1")]); ("n", number 1)]) unedited;
  forth moves move_texts (spec [("n", number 1)]) unedited;
  forth moves move_texts (spec [("limits", hollow)]) unedited;
  forth moves move_texts (spec [("limits", hollow)]) (puts "cpu" (text "2"));
  forth moves move_texts (spec [("class", text "ssd")]) (del (field "storage"));
  from2 moves move_texts (spec [("storage", hollow)]) unedited;
  from2 moves move_texts (spec [("storage", hollow)]) (puts "size" (number 6));
  from2 moves move_texts (spec [("storage", hollow)]) (puts "n" (number 6));
  from2 moves move_texts (spec [("storage", members [("class", hollow)])]) unedited;
  from2 moves move_texts (spec [("storage", members [("class", hollow); ("size", number 1)])]) unedited;
  from2 moves move_texts (spec [("storage", members [("tier", text "gold")])]) unedited;
  from2 moves move_texts (spec [("storage", members [("tier", text "gold"); ("size", number 1)])]) (puts "size" (number 2));
  from2 moves move_texts (spec [("cpu", text "1")]) (del (field "limits"));

  from2 drops drop_texts dropping unedited;
  from2 drops drop_texts dropping (puts "n" (number 2));
  from2 drops drop_texts dropping (puts "users" (strings ["a"]));
  from2 drops drop_texts dropping (del (field "users"));
  from2 drops drop_texts dropping (puts "legacy" (number 1));
  forth drops drop_texts (spec [("legacy", number 3)]) (puts "tls" hollow);

  forth policies policy_texts (spec [("policy", text "keep"); ("ready", Tree (Boolean true) [])]) unedited;
  forth policies policy_texts (spec [("policy", text "other")]) unedited;
  forth policies policy_texts (spec [("policy", text "Retain")]) unedited;
  forth policies policy_texts (spec [("policy", text "Retain")]) (puts "onDelete" (text "Delete"));
  forth policies policy_texts (spec [("policy", text "Retain")]) (puts "n" (number 1));
  forth policies policy_texts (spec [("policy", text "Retain")]) (del (field "onDelete"));
  from2 policies policy_texts (spec [("onDelete", text "Retain"); ("state", members [("ready", text "False")])]) unedited;
  from2 policies policy_texts (spec [("onDelete", text "keep"); ("state", hollow)]) unedited;
  forth merges merge_texts (spec [("k", text "a")]) unedited;
  forth merges merge_texts (spec [("k", text "b")]) unedited;
  forth merges merge_texts (spec [("k", text "b")]) (puts "l" (text "Y"));
  forth merges merge_texts (spec [("k", text "X")]) unedited;
  from2 merges merge_texts (spec [("l", text "X")]) unedited;
  from2 merges merge_texts (spec [("l", text "b")]) unedited;

  forth units unit_texts (spec [("minutes", number 2); ("gigas", number 0)]) unedited;
  from2 units unit_texts (spec [("seconds", number 120); ("megas", number (-2000))]) unedited;
  from2 units unit_texts (spec [("seconds", number 90); ("megas", number 1)]) unedited;
  from2 units unit_texts (spec [("seconds", number 90)]) (puts "minutes" (number 3));
  from2 units unit_texts (spec [("seconds", number (-90))]) unedited;

  forth splits split_texts (spec [("image", text "app:1.2"); ("zones", text "a,b")]) unedited;
  forth splits split_texts (spec [("image", text "host:5000/app:1.2"); ("zones", text "")]) unedited;
  forth splits split_texts (spec [("image", text "app"); ("zones", text ",")]) unedited;
  forth splits split_texts (spec [("image", text "app")]) (puts "name" (text "b"));
  forth splits split_texts (spec [("image", text "app:1")]) (puts "tag" (text "2"));
  from2 splits split_texts (spec [("name", text "app"); ("tag", text "1:2"); ("zoneList", strings ["a"; "b"])]) unedited;
  from2 splits split_texts (spec [("name", text "app")]) unedited;
  from2 splits split_texts (spec [("name", text "app")]) (puts "image" (text "b:2"));
  from2 splits split_texts (spec [("name", text "a:b"); ("tag", text "1"); ("zoneList", strings ["a,b"; "c"])]) unedited;
  from2 splits split_texts (spec [("zoneList", strings [""])]) unedited;
  from2 splits split_texts (spec [("zoneList", strings [])]) unedited;
  from2 splits split_texts (spec [("zoneList", strings ["a,b"])]) (puts "zones" (text "d"));

  forth boxes box_texts (spec [("owner", text "a"); ("host", text "h")]) unedited;
  from2 boxes box_texts (spec [("owner", members [("name", text "a")]); ("hosts", strings ["h"])]) unedited;
  from2 boxes box_texts (spec [("owner", members [("name", text "a"); ("team", text "t")]); ("hosts", strings ["h"; "i"])]) unedited;
  from2 boxes box_texts (spec [("owner", members [("name", text "a"); ("team", text "t")]); ("hosts", strings ["h"; "i"])]) (puts "owner" (text "b"));
  from2 boxes box_texts (spec [("owner", members [("name", text "a"); ("team", text "t")]); ("hosts", strings ["h"; "i"])]) (puts "host" (text "j"));
  from2 boxes box_texts (spec [("owner", members [("team", text "t")]); ("hosts", strings [])]) unedited;
  from2 boxes box_texts (spec [("owner", members [("team", text "t")]); ("hosts", strings [])]) (puts "host" (text "j"));

  forth (users 2) user_texts (spec [("users", items [members [("id", text "a")]; members [("id", text "b")]])]) unedited;
  from2 (users 2) user_texts two_users unedited;
  from2 (users 2) user_texts two_users (puts "n" (number 2));
  from2 (users 2) user_texts two_users (put (at_spec ["users"] ++ [At 1; Key "id"])%list (text "c"));
  from2 (pools 2) pool_texts two_pools unedited;
  from2 (pools 2) pool_texts two_pools (put (below (pool_path 1) ["volumes"]) (strings ["1Gi"]));
  from2 volumes volume_texts (spec [("min", number 11); ("storage", hollow)]) unedited;
  from2 (pools 2) pool_volume_texts hollow_pools unedited ].

Definition vectors : string := String.concat line (map example_text examples).

(* The conditions on rules hold for all of them, so the theorem is about each, both ways (fits_backwards). *)
Example rules_fit : Forall fits [renames; shift; moves; drops; policies; merges; units; splits; boxes; users 2; pools 2; volumes].
Proof.
  repeat (constructor; [split; [vm_compute; reflexivity | intros r R; simpl in R; repeat (destruct R as [<-|R]; [solve [repeat (first
    [apply lawful_move | apply lawful_drop_new | apply lawful_drop_old | apply lawful_change | apply lawful_split | apply lawful_in_list])]|]); destruct R]|]).
  constructor.
Qed.

Eval vm_compute in vectors.

(* Rule files that crosswalk prove once proved wrongly. The compiler neither deleted nor remembered the object storage, which v2 alone has,
   because a rule in the moved list dropped a field. Here, storage is then not lone. Condition around does not hold, and the object
   that was found does not come back. (A third file lost nothing: the module refused an object with 256 KiB of annotations, of which these
   files know nothing.) *)
Require Import String ZArith Bool List.
Require Import Crosswalk.tree Crosswalk.rules Crosswalk.verbs Crosswalk.vectors.
Import ListNotations.
Open Scope string_scope.

(* The API server prunes what the conversion left of storage in v1. *)
Definition read_back (c : conversion) (left : path) (o : tree) : tree :=
  let there := convert (backwards c) (bare o) in object (convert c (edit (del left (object there)) there)).

(* One object. *)
Definition storage := field "storage".
Definition moved (lone : list path) := {| rules := [move (field "volumes") (at_spec ["storage"; "volumes"])]; lone_old := []; lone_new := lone |}.
Definition empty_object := spec [("min", number 11); ("storage", hollow)].

Example around_is_open : around (moved []) = false.
Proof. reflexivity. Qed.
Example empty_object_is_lost : label storage empty_object = Some Object /\ label storage (read_back (moved []) storage empty_object) = None.
Proof. vm_compute. auto. Qed.
Example empty_object_comes_back : check (moved [storage]) = true /\ label storage (read_back (moved [storage]) storage empty_object) = Some Object.
Proof. vm_compute. auto. Qed.

(* Two elements: the empty object of the second one changes the list that the kept value of the first one depends on. *)
Definition second := below (pool_path 1) ["storage"].
Definition class := below (pool_path 0) ["storage"; "class"].
Definition half (lone : list path) := {| rules := rules (pools 2); lone_old := []; lone_new := lone |}.

Example around_is_open_in_lists : around (half [below (pool_path 0) ["storage"]]) = false.
Proof. vm_compute. reflexivity. Qed.
Example class_is_lost : label class two_pools = Some (Text "fast") /\
  label class (read_back (half [below (pool_path 0) ["storage"]]) second two_pools) = None.
Proof. vm_compute. auto. Qed.
Example class_comes_back : check (pools 2) = true /\ label class (read_back (pools 2) second two_pools) = Some (Text "fast").
Proof. vm_compute. auto. Qed.

(* The conversion that a list of rules means, and the theorem of docs/author/prove.md about it: nothing_is_lost, an_edit_wins and
   stale_is_gone, at the end.

   To check all of it:  make test-proof  (or coqc -Q . Crosswalk on tree.v, rules.v, verbs.v, vectors.v and wrong.v, in this order).
   Nothing is assumed: Print Assumptions, in the last lines, says so.

   Covered: rename, move, drop with "for", translate, convert between units of numbers, nest, wrap, splitList and split at the first
   separator with unfit: stash, and these rules in the elements of a list that stays in place; the kept values and the values that they
   depend on; the objects that only one version has, and their empty ones. Of the conditions that prove decides: one, vacant, around (lone),
   field (owned), stays, and kept values depend on their own field (depends).

   Not covered: defaults, nulls and pruning of an API server (defaults, null, field, shape: both versions are taken to allow what the
   conversion makes); objects of both versions that a move fills or empties (shared); rules in a list or an object that a rule moves; other
   verbs, among them default, absent in translate, and when; chains of versions; 64-bit hashes, for which values themselves stand; sizes and
   depths; numbers beyond 64 bits, which the module refuses. A client that deletes spec is one against condition stays here: the module
   restores nothing within then.

   vectors.v ties this page to the compiler: a Go test compares what convert makes of objects, and keeps, with what the module does. *)
Require Import String ZArith Bool Arith Lia List.
Require Import Crosswalk.tree.
Import ListNotations.
Open Scope list_scope.

(* ---- rules ----
   A rule is about fields of the old version and fields of the new one. A move has one of each, a drop has one of one version, a split
   has one text and its parts. Their values, or None where a field is absent, become the values of the other version. A value that
   the stash keeps depends on the values at on_new in the new version, or at on_old in the old one (the member "for" of stash.md). *)
Record rule := {
  old : list path; new : list path;
  there : list (option tree) -> list (option tree);
  back : list (option tree) -> list (option tree);
  on_old : list path; on_new : list path }.

(* Objects around fields that only one version has are lone: a conversion makes and deletes them. *)
Record conversion := { rules : list rule; lone_old : list path; lone_new : list path }.

Definition flip (r : rule) := {| old := new r; new := old r; there := back r; back := there r; on_old := on_new r; on_new := on_old r |}.
Definition backwards (c : conversion) := {| rules := map flip (rules c); lone_old := lone_new c; lone_new := lone_old c |}.

(* ---- the stash ----
   A parcel has the values to restore, and the values that they depend on, of which the stash has the hash. *)
Record parcel := { saved : list (option tree); seen : list (option tree) }.
Record state := { object : tree; kept : list (option parcel); empty : list (option (list (option tree))) }.
Definition bare (t : tree) := {| object := t; kept := []; empty := [] |}.

Definition values_eq_dec : forall a b : list (option tree), {a = b} + {a <> b}.
Proof. apply list_eq_dec. decide equality. apply tree_eq_dec. Defined.
Definition equal (a b : list (option tree)) : bool := if values_eq_dec a b then true else false.
Lemma equal_spec : forall a b, equal a b = true <-> a = b.
Proof. intros. unfold equal. destruct (values_eq_dec a b); split; intros; congruence. Qed.

Definition reads (ps : list path) (t : tree) : list (option tree) := map (fun p => look p t) ps.

Fixpoint zip {X Y} (l : list X) (k : list (option Y)) : list (X * option Y) :=
  match l with [] => [] | x :: r => (x, hd None k) :: zip r (tl k) end.

(* ---- the conversion ---- *)

(* Kept values come back if nothing that they depend on changed. *)
Definition fresh (on : list path) (p : parcel) (t : tree) : bool := equal (reads on t) (seen p).
Definition out (t : tree) (r : rule) (k : option parcel) : list (option tree) :=
  match k with
  | Some p => if fresh (on_old r) p t then saved p else there r (reads (old r) t)
  | None => there r (reads (old r) t)
  end.
(* The stash keeps the values of a rule if their partners do not lead back to them. *)
Definition keep (r : rule) (t t' : tree) : option parcel :=
  let v := reads (old r) t in
  if equal (back r (there r v)) v then None else Some {| saved := v; seen := reads (on_new r) t' |}.

(* An empty lone object is kept, too, until a client sets a field that would move into it, or, in an element, until the list changes. *)
Fixpoint before_element (p : path) : path := match p with Key k :: q => Key k :: before_element q | _ => [] end.
Definition watch (c : conversion) (l : path) : list path := nodup (list_eq_dec step_eq_dec) (map before_element (l :: flat_map new (filter (fun r => existsb (within l) (old r)) (rules c)))).
Definition keep_empty (c : conversion) (t t' : tree) (l : path) : option (list (option tree)) :=
  match look l t with Some (Tree Object []) => Some (reads (watch c l) t') | _ => None end.
Definition returns (c : conversion) (t : tree) (e : path * option (list (option tree))) : list path :=
  match e with
  | (l, Some was) => if equal (reads (watch (backwards c) l) t) was then [l] else []
  | _ => []
  end.

Definition dels (ps : list path) (t : tree) : tree := fold_right del t ps.
Definition write (f : path * option tree) (t : tree) : tree := match f with (p, Some v) => put p v t | (_, None) => t end.
Definition writes (fs : list (path * option tree)) (t : tree) : tree := fold_right write t fs.

(* The frame is all that no rule names: it stays as it is. *)
Definition taken (c : conversion) : list path := lone_old c ++ flat_map old (rules c).
Definition made (c : conversion) : list path := lone_new c ++ flat_map new (rules c).
Definition frame (c : conversion) (t : tree) : tree := dels (taken c) t.

Definition fields (c : conversion) (s : state) : list (path * option tree) :=
  flat_map (fun rk => combine (new (fst rk)) (out (object s) (fst rk) (snd rk))) (zip (rules c) (kept s)).
Definition empties (c : conversion) (s : state) : list (path * option tree) :=
  map (fun l => (l, Some hollow)) (flat_map (returns c (object s)) (zip (lone_new c) (empty s))).

Definition convert (c : conversion) (s : state) : state :=
  let t := object s in
  let t' := writes (fields c s) (writes (empties c s) (frame c t)) in
  {| object := t'; kept := map (fun r => keep r t t') (rules c); empty := map (keep_empty c t t') (lone_old c) |}.

(* ---- the conditions ---- *)

Fixpoint pairwise (l : list path) : bool := match l with [] => true | a :: r => forallb (apart a) r && pairwise r end.
Fixpoint prefixes (p : path) : list path := match p with [] => [] | k :: q => [] :: map (cons k) (prefixes q) end.
Definition in_any (ps : list path) (p : path) : bool := existsb (fun a => within a p) ps.
Definition member (p : path) (ps : list path) : bool := if in_dec (list_eq_dec step_eq_dec) p ps then true else false.

(* The conditions that the rules alone decide, for one direction.
   one: no other rule is about the same field, or about its inside.
   around: the objects around a field are lone, or both versions have them around all fields of the rule.
   depends: a kept value depends on the field that its rule makes of it, or on a value around that field. *)
Definition one (c : conversion) : bool :=
  pairwise (flat_map old (rules c))
  && forallb (fun p => negb (member p [[]])) (taken c)
  && forallb (fun l => negb (in_any (flat_map old (rules c)) l)) (lone_old c).
Definition around (c : conversion) : bool :=
  forallb (fun r => forallb (fun b => forallb (fun p =>
    member p (lone_new c) || forallb (above p) (old r) && negb (in_any (taken c) p)) (prefixes b)) (new r)) (rules c)
  && forallb (fun l => forallb (fun p => member p (lone_new c) || negb (in_any (taken c) p)) (prefixes l)) (lone_new c)
  && forallb (fun a => forallb (fun p => member p (lone_old c) || negb (in_any (lone_old c) p)) (prefixes a)) (taken c).
Definition depends (c : conversion) : bool := forallb (fun r => forallb (in_any (on_new r)) (new r)) (rules c).
Definition check (c : conversion) : bool :=
  one c && one (backwards c) && around c && around (backwards c) && depends c && depends (backwards c).

(* A rule has a value for each of its fields, and makes nothing of nothing. *)
Definition absent (v : list (option tree)) : Prop := forall x, In x v -> x = None.
Record lawful (r : rule) : Prop := {
  there_all : forall v, length v = length (old r) -> length (there r v) = length (new r);
  back_all : forall v, length v = length (new r) -> length (back r v) = length (old r);
  there_absent : forall v, absent v -> absent (there r v);
  back_absent : forall v, absent v -> absent (back r v) }.
Definition fits (c : conversion) : Prop := check c = true /\ forall r, In r (rules c) -> lawful r.

(* The conditions that the schema of the old version fulfils, about each of its objects.
   owned: rules name all fields in a lone object.   vacant: the old version has no field at a place of the new one. *)
Record valid (c : conversion) (t : tree) : Prop := {
  owned : forall p, in_any (lone_old c) p = true -> label p t <> None -> In p (lone_old c) \/ in_any (flat_map old (rules c)) p = true;
  lone_objects : forall l n, In l (lone_old c) -> label l t = Some n -> n = Object;
  vacant : forall p, in_any (made c) p = true -> in_any (taken c) p = false -> label p t = None }.

(* Of the kept values that come with an object: the stash has them because their partners do not lead back to them. In every object in
   which they are fresh, they lead to the values of this version, if these do not need the stash themselves. *)
Definition honest (c : conversion) (s : state) : Prop := forall r p, In (r, Some p) (zip (rules c) (kept s)) ->
  length (saved p) = length (new r) /\ there r (back r (saved p)) <> saved p /\
  forall t, fresh (on_old r) p t = true -> back r (there r (reads (old r) t)) = reads (old r) t -> back r (saved p) = reads (old r) t.

(* Condition stays: a client may delete an object around a kept value only if the value depends on it, or if the object is lone. *)
Definition stands (c : conversion) (s : state) (t : tree) : Prop :=
  (forall r p b v q, In (r, Some p) (zip (rules c) (kept s)) -> fresh (on_old r) p t = true ->
    In (b, Some v) (combine (new r) (saved p)) -> above q b = true -> In q (lone_new c) \/ label q t <> None)
  /\ forall l was q, In (l, Some was) (zip (lone_new c) (empty s)) -> equal (reads (watch (backwards c) l) t) was = true ->
    above q l = true -> In q (lone_new c) \/ label q t <> None.

Lemma zip_nothing : forall X Y (l : list X) x (y : Y), ~ In (x, Some y) (zip l []).
Proof. induction l as [|x l H]; simpl; [tauto|]. intros y z [E|E]; [congruence | exact (H _ _ E)]. Qed.
Lemma honest_bare : forall c t, honest c (bare t).
Proof. intros c t r p I. destruct (zip_nothing _ _ _ _ _ I). Qed.
Lemma stands_bare : forall c t u, stands c (bare t) u.
Proof. intros c t u. split; [intros r p b v q I | intros l was q I]; destruct (zip_nothing _ _ _ _ _ I). Qed.

(* ---- facts about paths and booleans ---- *)

Lemma prefixes_above : forall b p, In p (prefixes b) <-> above p b = true.
Proof.
  induction b as [|k b H]; intros p; simpl.
  - unfold above. destruct p; simpl; split; intros; try discriminate; tauto.
  - destruct p as [|j p]; [split; [reflexivity | left; reflexivity]|].
    unfold above. simpl. rewrite in_map_iff. split.
    + intros [E|[q [E I]]]; [discriminate|]. injection E as <- <-. apply H in I. destruct (step_eq_dec k k); [exact I | congruence].
    + destruct (step_eq_dec j k) as [->|]; [|discriminate]. destruct (step_eq_dec k k); [|congruence].
      intros A. right. exists p. split; [reflexivity | apply H; exact A].
Qed.
Lemma in_any_spec : forall ps p, in_any ps p = true <-> exists a, In a ps /\ within a p = true.
Proof. intros. apply existsb_exists. Qed.
Lemma in_any_app : forall a b p, in_any (a ++ b) p = in_any a p || in_any b p.
Proof. intros. apply existsb_app. Qed.
Lemma in_any_false : forall ps p a, in_any ps p = false -> In a ps -> within a p = false.
Proof. intros ps p a F I. destruct (within a p) eqn:W; [|reflexivity]. rewrite <- F. symmetry. apply in_any_spec. exists a. auto. Qed.
Lemma member_spec : forall p ps, member p ps = true <-> In p ps.
Proof. intros. unfold member. destruct (in_dec (list_eq_dec step_eq_dec) p ps); split; intros; try congruence; try discriminate; tauto. Qed.
Lemma above_within : forall p a, above p a = true -> within p a = true /\ within a p = false.
Proof. unfold above. intros p a [A B]%andb_true_iff. split; [exact A | apply negb_true_iff; exact B]. Qed.
Lemma apart_within : forall a b, apart a b = true <-> within a b = false /\ within b a = false.
Proof. unfold apart. intros. rewrite andb_true_iff, !negb_true_iff. tauto. Qed.
Lemma apart_app : forall a b q, apart a b = true -> apart a (b ++ q) = true.
Proof.
  intros a b q [A B]%apart_within. assert (W : within b (b ++ q) = true) by (apply within_app; eauto). apply apart_within. split.
  - destruct (within a (b ++ q)) eqn:E; [|reflexivity]. destruct (within_both _ _ _ E W); congruence.
  - destruct (within (b ++ q) a) eqn:E; [|reflexivity]. rewrite <- B. symmetry. exact (within_trans _ _ _ W E).
Qed.
Lemma not_within : forall a p, within a p = false -> above p a = true \/ apart a p = true.
Proof. intros a p W. unfold above, apart. rewrite W. destruct (within p a); auto. Qed.

(* ---- what deleting and writing does to each path ---- *)

Lemma label_dels : forall ps p t, ~ In [] ps -> label p (dels ps t) = if in_any ps p then None else label p t.
Proof.
  induction ps as [|a ps H]; intros p t N; [reflexivity|]. simpl. rewrite label_del by (intros ->; apply N; left; reflexivity).
  destruct (within a p); [reflexivity|]. apply H. intros I. apply N. right. exact I.
Qed.

Definition some_above (p : path) (fs : list (path * option tree)) : Prop := exists b v, In (b, Some v) fs /\ above p b = true.

Lemma label_writes : forall fs p t, (forall b v, In (b, Some v) fs -> within b p = false) ->
  (label p (writes fs t) = label p t /\ (label p t <> None \/ ~ some_above p fs))
  \/ (label p t = None /\ label p (writes fs t) = Some Object /\ some_above p fs).
Proof.
  induction fs as [|[b [v|]] fs H]; intros p t N; simpl.
  - left. split; [reflexivity|]. right. intros [b [v [[] _]]].
  - assert (W := N b v (or_introl eq_refl)). assert (N' : forall b v, In (b, Some v) fs -> within b p = false) by (intros; eapply N; right; eauto).
    specialize (H p t N'). destruct (not_within _ _ W) as [A|A].
    + rewrite label_put_above by exact A. assert (S : some_above p ((b, Some v) :: fs)) by (exists b, v; simpl; auto).
      destruct H as [[-> _]|[E [-> _]]]; [|auto]. destruct (label p t); [left; split; [reflexivity | left; discriminate] | auto].
    + assert (L : label p (put b v (writes fs t)) = label p (writes fs t)) by (unfold label; rewrite look_put_apart by exact A; reflexivity).
      rewrite L. destruct H as [[E S]|[E [F [c [w [I B]]]]]].
      * left. split; [exact E|]. destruct S as [S|S]; [left; exact S|]. right. intros [c [w [[I|I] B]]].
        -- injection I as -> ->. apply apart_within in A. apply above_within in B. destruct A, B. congruence.
        -- apply S. exists c, w. auto.
      * right. split; [exact E|]. split; [exact F|]. exists c, w. simpl. auto.
  - assert (N' : forall b v, In (b, Some v) fs -> within b p = false) by (intros; eapply N; right; eauto).
    destruct (H p t N') as [[E S]|[E [F [c [w [I B]]]]]].
    + left. split; [exact E|]. destruct S as [S|S]; [left; exact S|]. right. intros [c [w [[I|I] B]]]; [discriminate|]. apply S. exists c, w. auto.
    + right. split; [exact E|]. split; [exact F|]. exists c, w. simpl. auto.
Qed.

Lemma pairwise_cons : forall a l, pairwise (a :: l) = true -> (forall b, In b l -> apart a b = true) /\ pairwise l = true.
Proof. simpl. intros a l [A B]%andb_true_iff. split; [apply forallb_forall; exact A | exact B]. Qed.
Lemma apart_sym : forall a b, apart a b = apart b a.
Proof. intros. unfold apart. apply andb_comm. Qed.

(* Each field that is written is there afterwards. *)
Lemma look_writes : forall fs b v t, pairwise (map fst fs) = true -> In (b, v) fs -> look b t = None -> look b (writes fs t) = v.
Proof.
  assert (O : forall fs b t, (forall a, In a (map fst fs) -> apart a b = true) -> look b (writes fs t) = look b t).
  { induction fs as [|[a [w|]] fs H]; intros b t A; simpl; [reflexivity| |].
    - rewrite look_put_apart by (apply A; left; reflexivity). apply H. intros; apply A; right; assumption.
    - apply H. intros; apply A; right; assumption. }
  induction fs as [|[a w] fs H]; intros b v t P I N; [destruct I|].
  simpl in P. apply pairwise_cons in P. destruct P as [A P]. destruct I as [I|I].
  - injection I as -> ->. simpl. destruct v as [v|].
    + replace b with (b ++ []) at 1 by apply app_nil_r. rewrite look_put_in. reflexivity.
    + rewrite O; [exact N|]. intros a I. rewrite apart_sym. exact (A a I).
  - simpl. assert (J : In b (map fst fs)) by (change b with (fst (b, v)); apply in_map; exact I).
    destruct w as [w|]; simpl; [rewrite look_put_apart by exact (A b J)|]; exact (H b v t P I N).
Qed.

(* Empty objects hold nothing. *)
Definition hollows (ls : list path) : list (path * option tree) := map (fun l => (l, Some hollow)) ls.
Lemma label_hollows_none : forall ls p t, label p t = None -> (forall l, In l ls -> within p l = false) -> label p (writes (hollows ls) t) = None.
Proof.
  induction ls as [|l ls H]; intros p t N W; simpl; [exact N|].
  destruct (within l p) eqn:E.
  - apply within_app in E. destruct E as [q ->]. unfold label. rewrite look_put_in. rewrite look_hollow; [reflexivity|].
    intros ->. rewrite app_nil_r in W. specialize (W l (or_introl eq_refl)). rewrite within_refl in W. discriminate.
  - unfold label. rewrite look_put_apart; [apply H; [exact N | intros; apply W; right; assumption]|].
    apply apart_within. split; [exact E | apply W; left; reflexivity].
Qed.
Lemma label_hollows_some : forall ls p t, (label p t = None \/ label p t = Some Object) -> (forall l, In l ls -> within l p = true -> l = p) ->
  (exists l, In l ls /\ within p l = true) -> label p (writes (hollows ls) t) = Some Object.
Proof.
  assert (M : forall ls p t, (label p t = None \/ label p t = Some Object) -> (forall l, In l ls -> within l p = true -> l = p) ->
    (label p (writes (hollows ls) t) = None /\ forall l, In l ls -> within p l = false) \/ label p (writes (hollows ls) t) = Some Object).
  { induction ls as [|l ls H]; intros p t T W; simpl.
    - destruct T as [T|T]; [left; split; [exact T | intros l []] | right; exact T].
    - specialize (H p t T (fun m I => W m (or_intror I))). destruct (within l p) eqn:E.
      + rewrite (W l (or_introl eq_refl) E). right. replace (label p) with (label (p ++ [])) by (rewrite app_nil_r; reflexivity).
        unfold label. rewrite look_put_in. reflexivity.
      + destruct (not_within _ _ E) as [A|A].
        * rewrite label_put_above by exact A. destruct H as [[-> _]| ->]; right; reflexivity.
        * assert (L : label p (put l hollow (writes (hollows ls) t)) = label p (writes (hollows ls) t)) by (unfold label; rewrite look_put_apart by exact A; reflexivity).
          rewrite L. destruct H as [[N F]|S]; [left | right; exact S]. split; [exact N|].
          intros m [<-|I]; [apply apart_within in A; tauto | exact (F m I)]. }
  intros ls p t T W [l [I E]]. destruct (M ls p t T W) as [[_ F]|S]; [rewrite (F l I) in E; discriminate | exact S].
Qed.
Lemma label_hollows_cases : forall ls p t, (label p t = None \/ label p t = Some Object) -> label p (writes (hollows ls) t) = None \/ label p (writes (hollows ls) t) = Some Object.
Proof.
  induction ls as [|l ls H]; intros p t T; simpl; [exact T|]. specialize (H p t T). destruct (within l p) eqn:E.
  - apply within_app in E. destruct E as [q ->]. unfold label. rewrite look_put_in. destruct q; [right; reflexivity | left; reflexivity].
  - destruct (not_within _ _ E) as [A|A].
    + rewrite label_put_above by exact A. destruct H as [-> | ->]; right; reflexivity.
    + unfold label in *. rewrite look_put_apart by exact A. exact H.
Qed.

(* ---- lists of rules and their values ---- *)

Lemma zip_in : forall X Y (l : list X) (k : list (option Y)) x y, In (x, y) (zip l k) -> In x l.
Proof. induction l as [|a l H]; simpl; intros k x y I; [exact I|]. destruct I as [I|I]; [left; congruence | right; exact (H _ _ _ I)]. Qed.
Lemma zip_all : forall X Y (l : list X) (k : list (option Y)) x, In x l -> exists y, In (x, y) (zip l k).
Proof.
  induction l as [|a l H]; simpl; intros k x I; [destruct I|]. destruct I as [->|I].
  - exists (hd None k). auto.
  - destruct (H (tl k) x I) as [y J]. exists y. auto.
Qed.
Lemma zip_map : forall X Y Z (f : X -> Z) (g : X -> option Y) l, zip (map f l) (map g l) = map (fun x => (f x, g x)) l.
Proof. induction l as [|a l H]; simpl; [reflexivity | rewrite H; reflexivity]. Qed.
Lemma zip_self : forall X Y (g : X -> option Y) l, zip l (map g l) = map (fun x => (x, g x)) l.
Proof. induction l as [|a l H]; simpl; [reflexivity | rewrite H; reflexivity]. Qed.
Lemma fst_combine : forall X Y (l : list X) (k : list Y), length l = length k -> map fst (combine l k) = l.
Proof. induction l as [|a l H]; destruct k; simpl; intros; try discriminate; [reflexivity | rewrite H; congruence]. Qed.
Lemma reads_combine : forall l vs t, length l = length vs -> (forall b v, In (b, v) (combine l vs) -> look b t = v) -> reads l t = vs.
Proof.
  induction l as [|a l H]; destruct vs as [|v vs]; simpl; intros t E A; try discriminate; [reflexivity|].
  f_equal; [apply A; auto | apply H; [congruence | intros; apply A; auto]].
Qed.
Lemma combine_reads : forall l t b v, In (b, v) (combine l (reads l t)) -> look b t = v.
Proof. induction l as [|a l H]; simpl; intros t b v I; [destruct I|]. destruct I as [I|I]; [congruence | exact (H _ _ _ I)]. Qed.
Lemma in_combine_reads : forall l t a, In a l -> In (a, look a t) (combine l (reads l t)).
Proof. induction l as [|b l H]; simpl; intros t a I; [exact I|]. destruct I as [->|I]; [auto | right; apply H; exact I]. Qed.
Lemma reads_length : forall l t, length (reads l t) = length l.
Proof. intros. apply map_length. Qed.
Lemma old_flip : forall rs, flat_map old (map flip rs) = flat_map new rs.
Proof. induction rs as [|r rs H]; simpl; [reflexivity | rewrite H; reflexivity]. Qed.
Lemma new_flip : forall rs, flat_map new (map flip rs) = flat_map old rs.
Proof. induction rs as [|r rs H]; simpl; [reflexivity | rewrite H; reflexivity]. Qed.
Lemma flip_flip : forall r, flip (flip r) = r.
Proof. intros []; reflexivity. Qed.
Lemma backwards_twice : forall c, backwards (backwards c) = c.
Proof.
  intros [rs a b]. unfold backwards. simpl. f_equal. rewrite map_map. rewrite <- (map_id rs) at 2. apply map_ext. exact flip_flip.
Qed.
Lemma taken_backwards : forall c, taken (backwards c) = made c.
Proof. intros c. unfold taken, made. simpl. rewrite old_flip. reflexivity. Qed.
Lemma made_backwards : forall c, made (backwards c) = taken c.
Proof. intros c. unfold taken, made. simpl. rewrite new_flip. reflexivity. Qed.
Lemma lawful_flip : forall r, lawful r -> lawful (flip r).
Proof. intros r []; constructor; assumption. Qed.
Lemma fits_backwards : forall c, fits c -> fits (backwards c).
Proof.
  intros c [K L]. split.
  - unfold check in *. rewrite backwards_twice. rewrite !andb_true_iff in *. tauto.
  - simpl. intros r I. apply in_map_iff in I. destruct I as [q [<- I]]. apply lawful_flip. apply L. exact I.
Qed.

Lemma label_none : forall p t, label p t = None <-> look p t = None.
Proof. intros. unfold label. destruct (look p t); simpl; split; congruence. Qed.

(* ---- one way ---- *)

Section There.
Variables (c : conversion) (s : state).
Hypotheses (F : fits c) (V : valid c (object s)) (H0 : honest c s) (S : stands c s (object s)).
Let t := object s.
Let t' := object (convert c s).
Let base := writes (empties c s) (frame c t).

Lemma one_fields : one c = true -> pairwise (flat_map old (rules c)) = true /\ ~ In [] (taken c) /\ forall l, In l (lone_old c) -> in_any (flat_map old (rules c)) l = false.
Proof.
  unfold one. rewrite !andb_true_iff. intros [[P N] L]. split; [exact P|]. split.
  - intros I. rewrite forallb_forall in N. specialize (N [] I). discriminate.
  - intros l I. rewrite forallb_forall in L. apply negb_true_iff. exact (L l I).
Qed.
Lemma checks : one c = true /\ one (backwards c) = true /\ around c = true /\ around (backwards c) = true /\ depends c = true /\ depends (backwards c) = true.
Proof. destruct F as [K _]. unfold check in K. rewrite !andb_true_iff in K. tauto. Qed.

Lemma around_rule : forall r b p, In r (rules c) -> In b (new r) -> above p b = true ->
  In p (lone_new c) \/ (forall a, In a (old r) -> above p a = true) /\ in_any (taken c) p = false.
Proof.
  intros r b p R B A. destruct checks as (_ & _ & K & _). unfold around in K. rewrite !andb_true_iff in K. destruct K as [[K _] _].
  rewrite forallb_forall in K. specialize (K r R). rewrite forallb_forall in K. specialize (K b B).
  rewrite forallb_forall in K. specialize (K p (proj2 (prefixes_above b p) A)).
  apply orb_true_iff in K. destruct K as [K|K]; [left; apply member_spec; exact K | right].
  apply andb_true_iff in K. destruct K as [K L]. split; [apply forallb_forall; exact K | apply negb_true_iff; exact L].
Qed.
Lemma around_lone : forall l p, In l (lone_new c) -> above p l = true -> In p (lone_new c) \/ in_any (taken c) p = false.
Proof.
  intros l p L A. destruct checks as (_ & _ & K & _). unfold around in K. rewrite !andb_true_iff in K. destruct K as [[_ K] _].
  rewrite forallb_forall in K. specialize (K l L). rewrite forallb_forall in K. specialize (K p (proj2 (prefixes_above l p) A)).
  apply orb_true_iff in K. destruct K as [K|K]; [left; apply member_spec; exact K | right; apply negb_true_iff; exact K].
Qed.

Lemma label_frame : forall p, label p (frame c t) = if in_any (taken c) p then None else label p t.
Proof. intros p. apply label_dels. destruct checks as [K _]. apply (one_fields K). Qed.
Lemma frame_vacant : forall p, in_any (made c) p = true -> label p (frame c t) = None.
Proof. intros p M. rewrite label_frame. destruct (in_any (taken c) p) eqn:E; [reflexivity|]. apply (vacant _ _ V); assumption. Qed.

Lemma one_new : pairwise (flat_map new (rules c)) = true /\ ~ In [] (made c) /\ forall l, In l (lone_new c) -> in_any (flat_map new (rules c)) l = false.
Proof.
  destruct checks as (_ & K & _). unfold one in K. rewrite taken_backwards in K. simpl in K. rewrite old_flip in K.
  rewrite !andb_true_iff in K. destruct K as [[P N] L]. split; [exact P|]. split.
  - intros I. rewrite forallb_forall in N. specialize (N [] I). discriminate.
  - intros l I. rewrite forallb_forall in L. apply negb_true_iff. exact (L l I).
Qed.

Lemma out_length : forall r k, In (r, k) (zip (rules c) (kept s)) -> length (new r) = length (out t r k).
Proof.
  intros r k I. destruct F as [_ L]. specialize (L r (zip_in _ _ _ _ _ _ I)).
  assert (N : length (new r) = length (there r (reads (old r) t))) by (symmetry; apply (there_all _ L); apply reads_length).
  unfold out. destruct k as [p|]; [|exact N]. destruct (fresh (on_old r) p t) eqn:E; [|exact N].
  symmetry. exact (proj1 (H0 r p I)).
Qed.
Lemma fields_names : map fst (fields c s) = flat_map new (rules c).
Proof.
  unfold fields. assert (G : forall rk, In rk (zip (rules c) (kept s)) -> length (new (fst rk)) = length (out t (fst rk) (snd rk))) by (intros [r k]; apply out_length).
  fold t. revert G. generalize (kept s). induction (rules c) as [|r rs H]; intros ks G; simpl; [reflexivity|].
  rewrite map_app. f_equal; [apply fst_combine; apply (G (r, hd None ks)); left; reflexivity|]. apply H. intros rk I. apply G. right. exact I.
Qed.
Lemma in_fields : forall b v, In (b, v) (fields c s) <-> exists r k, In (r, k) (zip (rules c) (kept s)) /\ In (b, v) (combine (new r) (out t r k)).
Proof.
  intros. unfold fields. rewrite in_flat_map. split.
  - intros [[r k] H]. exists r, k. exact H.
  - intros [r [k H]]. exists (r, k). exact H.
Qed.
Lemma in_fields_new : forall b v, In (b, v) (fields c s) -> In b (flat_map new (rules c)).
Proof. intros b v I. rewrite <- fields_names. change b with (fst (b, v)). apply in_map. exact I. Qed.

Lemma in_empties : forall l v, In (l, v) (empties c s) -> v = Some hollow /\ In l (lone_new c) /\
  exists was, In (l, Some was) (zip (lone_new c) (empty s)) /\ equal (reads (watch (backwards c) l) t) was = true.
Proof.
  unfold empties. intros l v I. apply in_map_iff in I. destruct I as [m [E I]]. injection E as -> <-. split; [reflexivity|].
  apply in_flat_map in I. destruct I as [[k [was|]] [I R]]; [|destruct R]. unfold returns in R.
  destruct (equal _ _) eqn:Q in R; [|destruct R]. destruct R as [->|[]]. split; [exact (zip_in _ _ _ _ _ _ I)|]. exists was. split; [exact I | exact Q].
Qed.

Lemma base_vacant : forall b, In b (flat_map new (rules c)) -> look b base = None.
Proof.
  intros b B. apply label_none. unfold base, empties. apply (label_hollows_none _ b).
  - apply frame_vacant. unfold made. rewrite in_any_app. apply orb_true_iff. right. apply in_any_spec. exists b. split; [exact B | apply within_refl].
  - intros l I. destruct one_new as [_ [_ L]]. assert (J : In (l, Some hollow) (empties c s)) by (unfold empties; apply in_map_iff; eauto).
    apply in_empties in J. destruct (within b l) eqn:W; [|reflexivity]. rewrite <- (L l (proj1 (proj2 J))). symmetry. apply in_any_spec. exists b. tauto.
Qed.

Lemma reads_new : forall r k, In (r, k) (zip (rules c) (kept s)) -> reads (new r) t' = out t r k.
Proof.
  intros r k I. apply reads_combine; [exact (out_length r k I)|]. intros b v J.
  assert (K : In (b, v) (fields c s)) by (apply in_fields; eauto). unfold t'. simpl. apply look_writes.
  - rewrite fields_names. apply one_new.
  - exact K.
  - apply base_vacant. exact (in_fields_new _ _ K).
Qed.

(* Where something present is written, the objects around it that both versions have are there. *)
Lemma present : forall (v : list (option tree)) r, lawful r -> (exists x, In (Some x) (there r v)) -> exists y, In (Some y) v.
Proof.
  intros v r L [x X]. assert (D : (exists y, In (Some y) v) \/ absent v).
  { induction v as [|[y|] v H]; [right; intros z [] | left; exists y; left; reflexivity |].
    assert (D : (exists y, In (Some y) v) \/ absent v).
    { clear. induction v as [|[y|] v H]; [right; intros z [] | left; exists y; left; reflexivity |].
      destruct H as [[y I]|A]; [left; exists y; right; exact I | right; intros z [<-|I]; [reflexivity | exact (A z I)]]. }
    destruct D as [[y I]|A]; [left; exists y; right; exact I | right; intros z [<-|I]; [reflexivity | exact (A z I)]]. }
  destruct D as [D|A]; [exact D|]. specialize (there_absent _ L v A (Some x) X). discriminate.
Qed.
Lemma frame_around : forall p, in_any (made c) p = false -> some_above p (fields c s) \/ some_above p (empties c s) -> label p (frame c t) <> None.
Proof.
  intros p M H. assert (NL : ~ In p (lone_new c)).
  { intros I. unfold made in M. rewrite in_any_app in M. apply orb_false_iff in M. destruct M as [M _].
    assert (W := in_any_false _ _ _ M I). rewrite within_refl in W. discriminate. }
  destruct H as [[b [v [I A]]]|[b [v [I A]]]].
  - apply in_fields in I. destruct I as [r [k [Z I]]]. assert (R := zip_in _ _ _ _ _ _ Z).
    assert (B : In b (new r)) by (apply in_combine_l in I; exact I).
    destruct (around_rule r b p R B A) as [L|[O T]]; [contradiction|]. rewrite label_frame, T.
    assert (N : In (b, Some v) (combine (new r) (there r (reads (old r) t))) -> label p t <> None).
    { intros J. destruct F as [_ W]. destruct (present (reads (old r) t) r (W r R)) as [y Y]; [exists v; apply in_combine_r in J; exact J|].
      unfold reads in Y. apply in_map_iff in Y. destruct Y as [a [E Y]]. destruct (above_within _ _ (O a Y)) as [U _].
      apply within_app in U. destruct U as [q ->]. apply (label_around p q). rewrite label_none. congruence. }
    unfold out in I. destruct k as [k|]; [|exact (N I)]. destruct (fresh (on_old r) k t) eqn:E; [|exact (N I)].
    destruct (proj1 S r k b v p Z E I A); [contradiction | assumption].
  - destruct (in_empties _ _ I) as [_ [L [was [Z Q]]]]. destruct (around_lone b p L A) as [L'|T]; [contradiction|].
    rewrite label_frame, T. destruct (proj2 S b was p Z Q A); [contradiction | assumption].
Qed.

(* The frame is the same in both versions. *)
Lemma frame_same : forall p, label p (frame (backwards c) t') = label p (frame c t).
Proof.
  intros p. unfold frame at 1. rewrite label_dels by (rewrite taken_backwards; apply one_new). rewrite taken_backwards.
  destruct (in_any (made c) p) eqn:M; [symmetry; apply frame_vacant; exact M|].
  assert (M' := M). unfold made in M'. rewrite in_any_app in M'. apply orb_false_iff in M'. destruct M' as [ML MN].
  unfold t'. simpl. fold t. fold base.
  assert (B : label p base = label p (frame c t)).
  { destruct (label_writes (empties c s) p (frame c t)) as [[E _]|[E [_ A]]].
    - intros b v I. apply in_empties in I. exact (in_any_false _ _ _ ML (proj1 (proj2 I))).
    - exact E.
    - destruct (frame_around p M (or_intror A) E). }
  rewrite <- B. destruct (label_writes (fields c s) p base) as [[E _]|[E [_ A]]].
  - intros b v I. apply in_fields_new in I. exact (in_any_false _ _ _ MN I).
  - exact E.
  - rewrite B in E. destruct (frame_around p M (or_introl A) E).
Qed.
(* The object that the conversion makes fulfils the conditions of the other version. *)
Lemma valid_new : valid (backwards c) t'.
Proof.
  destruct checks as (_ & _ & K3 & K4 & _). destruct one_new as [_ [_ ON]].
  assert (BT : forall b p, In b (made c) -> above p b = true -> in_any (lone_new c) p = true -> In p (lone_new c)).
  { intros b p B A L. unfold around in K4. rewrite taken_backwards in K4. rewrite !andb_true_iff in K4. destruct K4 as [_ K4].
    rewrite forallb_forall in K4. specialize (K4 b B). rewrite forallb_forall in K4. specialize (K4 p (proj2 (prefixes_above b p) A)). simpl in K4.
    rewrite L in K4. rewrite orb_false_r in K4. apply member_spec. exact K4. }
  assert (MB : forall b, In b (flat_map new (rules c)) -> In b (made c)) by (intros; apply in_or_app; auto).
  assert (ML : forall b, In b (lone_new c) -> In b (made c)) by (intros; apply in_or_app; auto).
  assert (ME : forall p, in_any (lone_new c) p = true -> in_any (made c) p = true) by (intros p L; unfold made; rewrite in_any_app, L; reflexivity).
  assert (IN : forall b v p, In (b, Some v) (fields c s) -> in_any (flat_map new (rules c)) p = false -> within b p = false)
    by (intros b v p I N; apply in_fields_new in I; exact (in_any_false _ _ _ N I)).
  assert (EM : empties c s = hollows (flat_map (returns c t) (zip (lone_new c) (empty s)))) by reflexivity.
  constructor; rewrite ?taken_backwards, ?made_backwards; simpl; rewrite ?old_flip; fold t; fold base.
  - intros p L P. destruct (in_any (flat_map new (rules c)) p) eqn:N; [right; reflexivity | left].
    destruct (label_writes (fields c s) p base) as [[E _]|[_ [_ [b [v [I A]]]]]]; [intros; eapply IN; eauto | |].
    + unfold t' in P. simpl in P. fold t base in P. rewrite E in P. destruct (existsb (fun l => within p l) (map fst (empties c s))) eqn:X.
      * apply existsb_exists in X. destruct X as [l [I W]]. apply in_map_iff in I. destruct I as [[k v] [<- I]]. apply in_empties in I.
        destruct I as [_ [I _]]. simpl in W. destruct (within k p) eqn:W'; [rewrite (within_antisym _ _ W W'); exact I|].
        apply (BT k p); [apply ML; exact I | unfold above; rewrite W, W'; reflexivity | exact L].
      * exfalso. apply P. unfold base. rewrite EM. apply label_hollows_none; [apply frame_vacant; apply ME; exact L|].
        intros l I. destruct (within p l) eqn:W; [|reflexivity]. rewrite <- X. symmetry. apply existsb_exists. exists l. split; [|exact W].
        rewrite EM. unfold hollows. rewrite map_map. simpl. rewrite map_id. exact I.
    + apply (BT b p); [apply MB; exact (in_fields_new _ _ I) | exact A | exact L].
  - intros l n L P. assert (N := ON l L).
    assert (T : in_any (lone_new c) l = true) by (apply in_any_spec; exists l; split; [exact L | apply within_refl]).
    assert (BC : label l base = None \/ label l base = Some Object).
    { unfold base. rewrite EM. apply label_hollows_cases. left. apply frame_vacant. apply ME. exact T. }
    unfold t' in P. simpl in P. fold t base in P. destruct (label_writes (fields c s) l base) as [[E _]|[_ [E _]]]; [intros; eapply IN; eauto | |]; rewrite E in P.
    + destruct BC as [Q|Q]; rewrite Q in P; congruence.
    + congruence.
  - intros p T M. assert (N := M). unfold made in N. rewrite in_any_app in N. apply orb_false_iff in N. destruct N as [NL N].
    assert (FP : label p (frame c t) = None) by (rewrite label_frame, T; reflexivity).
    assert (BP : label p base = None).
    { unfold base. destruct (label_writes (empties c s) p (frame c t)) as [[E _]|[_ [_ A]]].
      - intros b v I. apply in_empties in I. exact (in_any_false _ _ _ NL (proj1 (proj2 I))).
      - rewrite E. exact FP.
      - destruct (frame_around p M (or_intror A) FP). }
    unfold t'. simpl. fold t base. destruct (label_writes (fields c s) p base) as [[E _]|[_ [_ A]]]; [intros; eapply IN; eauto | rewrite E; exact BP |].
    destruct (frame_around p M (or_introl A) FP).
Qed.
End There.

(* ---- there and back ---- *)

Section Back.
Variables (c : conversion) (s : state).
Hypotheses (F : fits c) (V : valid c (object s)) (H0 : honest c s) (S : stands c s (object s)).
Let t := object s.
Let t' := object (convert c s).

(* Each field comes back: the partner leads to its value, or the stash has it. *)
Lemma out_back : forall r, In r (rules c) -> out t' (flip r) (keep r t t') = reads (old r) t.
Proof.
  intros r R. destruct (zip_all _ _ _ (kept s) r R) as [k Z]. assert (N := reads_new c s F V H0 r k Z). fold t t' in N.
  unfold keep. destruct (equal (back r (there r (reads (old r) t))) (reads (old r) t)) eqn:E.
  - apply equal_spec in E. simpl. rewrite N. unfold out. destruct k as [p|]; [|exact E].
    destruct (fresh (on_old r) p t) eqn:G; [|exact E]. destruct (H0 r p Z) as (_ & _ & L). exact (L t G E).
  - simpl. unfold fresh. simpl. rewrite (proj2 (equal_spec _ _) eq_refl). reflexivity.
Qed.
Lemma fields_back : fields (backwards c) (convert c s) = flat_map (fun r => combine (old r) (reads (old r) t)) (rules c).
Proof.
  unfold fields. simpl. fold t. rewrite zip_map. change (writes (fields c s) (writes (empties c s) (frame c t))) with t'.
  assert (O := out_back). revert O. induction (rules c) as [|r rs H]; intros O; simpl; [reflexivity|].
  rewrite H by (intros; apply O; right; assumption). rewrite O by (left; reflexivity). reflexivity.
Qed.
Lemma in_fields_back : forall a v, In (a, v) (fields (backwards c) (convert c s)) <-> In a (flat_map old (rules c)) /\ look a t = v.
Proof.
  intros a v. rewrite fields_back, !in_flat_map. split.
  - intros [r [R I]]. split; [exists r; split; [exact R | apply in_combine_l in I; exact I] | exact (combine_reads _ _ _ _ I)].
  - intros [[r [R I]] <-]. exists r. split; [exact R | apply in_combine_reads; exact I].
Qed.
Lemma names_back : map fst (fields (backwards c) (convert c s)) = flat_map old (rules c).
Proof.
  rewrite fields_back. induction (rules c) as [|r rs H]; simpl; [reflexivity|].
  rewrite map_app, H, fst_combine by (symmetry; apply reads_length). reflexivity.
Qed.

Definition hollow_ones : list path := flat_map (returns (backwards c) t') (zip (lone_old c) (map (keep_empty c t t') (lone_old c))).
Lemma in_hollow_ones : forall l, In l hollow_ones <-> In l (lone_old c) /\ look l t = Some hollow.
Proof.
  intros l. unfold hollow_ones. rewrite zip_self, in_flat_map. split.
  - intros [[k e] [I R]]. apply in_map_iff in I. destruct I as [m [E I]]. injection E as -> <-. unfold keep_empty in R.
    destruct (look k t) as [[n ins]|] eqn:L; [|destruct R].
    destruct n; try destruct R. destruct ins; [|destruct R]. unfold returns in R. destruct (equal _ _) in R; [|destruct R].
    destruct R as [<-|[]]. split; [exact I | exact L].
  - intros [I L]. exists (l, keep_empty c t t' l). split; [apply in_map_iff; eauto|]. unfold keep_empty. rewrite L. simpl (hollow).
    unfold returns, hollow. rewrite backwards_twice. rewrite (proj2 (equal_spec _ _) eq_refl). left. reflexivity.
Qed.

Let there_and_back := object (convert (backwards c) (convert c s)).
Let base := writes (hollows hollow_ones) (frame (backwards c) t').

Lemma back_is : there_and_back = writes (fields (backwards c) (convert c s)) base.
Proof. reflexivity. Qed.

(* A lone object that is there is empty, or has a field or an empty lone object inside. *)
Lemma lone_is_full : forall p, In p (lone_old c) -> label p t <> None -> (exists l, In l hollow_ones /\ within p l = true) \/
  (exists a, In a (flat_map old (rules c)) /\ look a t <> None /\ above p a = true).
Proof.
  assert (B : exists most, forall l, In l (lone_old c) -> length l <= most).
  { induction (lone_old c) as [|l ls [m H]]; [exists 0; intros l []|]. exists (length l + m). intros k [<-|I]; [lia | specialize (H k I); lia]. }
  destruct B as [most B].
  assert (G : forall n p, most < length p + n -> In p (lone_old c) -> label p t <> None -> (exists l, In l hollow_ones /\ within p l = true) \/
    (exists a, In a (flat_map old (rules c)) /\ look a t <> None /\ above p a = true)).
  { induction n as [|n H]; intros p M I P; [specialize (B p I); lia|].
    destruct (look p t) as [[o ins]|] eqn:L; [|exfalso; apply P; apply label_none; exact L].
    assert (O : o = Object) by (apply (lone_objects _ _ V p o I); unfold label; fold t; rewrite L; reflexivity). subst o.
    destruct ins as [|[k x] ins].
    - left. exists p. split; [apply in_hollow_ones; split; [exact I | exact L] | apply within_refl].
    - assert (Q : label (p ++ [k]) t <> None).
      { rewrite label_none, look_app, L. simpl. destruct (step_eq_dec k k); congruence. }
      assert (W : within p (p ++ [k]) = true) by (apply within_app; eauto).
      assert (A : above p (p ++ [k]) = true).
      { unfold above. rewrite W. simpl. destruct (within (p ++ [k]) p) eqn:E; [|reflexivity].
        assert (X := within_antisym _ _ W E). apply (f_equal (@length step)) in X. rewrite app_length in X. simpl in X. lia. }
      destruct (owned _ _ V (p ++ [k])) as [J|J]; [apply in_any_spec; eauto | exact Q | |].
      + destruct (H (p ++ [k])) as [[l [X Y]]|[a [X [Y Z]]]]; [rewrite app_length; simpl; lia | exact J | exact Q | |].
        * left. exists l. split; [exact X | exact (within_trans _ _ _ W Y)].
        * right. exists a. split; [exact X|]. split; [exact Y|]. apply above_within in Z. destruct Z as [Z1 Z2].
          unfold above. rewrite (within_trans _ _ _ W Z1). simpl. destruct (within a p) eqn:E; [|reflexivity].
          rewrite (within_trans _ _ _ E W) in Z2. discriminate.
      + right. apply in_any_spec in J. destruct J as [a [X Y]]. exists a. split; [exact X|].
        assert (N : within a p = false).
        { destruct (checks c F) as [K _]. destruct (one_fields c K) as [_ [_ U]]. exact (in_any_false _ _ _ (U p I) X). }
        assert (E : a = p ++ [k]).
        { destruct (within_both _ _ _ Y W) as [Z|Z]; [congruence|]. apply within_app in Z. destruct Z as [q ->].
          destruct q as [|j q]; [rewrite app_nil_r in N; rewrite within_refl in N; discriminate|].
          apply within_app in Y. destruct Y as [q' Y]. rewrite <- app_assoc in Y. apply app_inv_head in Y. simpl in Y.
          injection Y as <- Y. destruct q; [reflexivity | discriminate]. }
        subst a. split; [rewrite label_none in Q; exact Q | exact A]. }
  intros p. apply (G (most + 1)). lia.
Qed.

Theorem round_trip : same there_and_back t.
Proof.
  intros p. rewrite back_is. destruct (checks c F) as [K1 _]. destruct (one_fields c K1) as [P [N U]].
  assert (R : forall a, In a (flat_map old (rules c)) -> look a (writes (fields (backwards c) (convert c s)) base) = look a t).
  { intros a A. apply look_writes; [rewrite names_back; exact P | apply in_fields_back; auto |].
    apply label_none. unfold base. apply label_hollows_none.
    - unfold t'. rewrite (frame_same c s F V H0 S). rewrite (label_frame c s F). unfold taken. rewrite in_any_app.
      replace (in_any (flat_map old (rules c)) a) with true by (symmetry; apply in_any_spec; exists a; split; [exact A | apply within_refl]).
      rewrite orb_true_r. reflexivity.
    - intros l I. apply in_hollow_ones in I. exact (in_any_false _ _ _ (U l (proj1 I)) A). }
  destruct (in_any (flat_map old (rules c)) p) eqn:A.
  { apply in_any_spec in A. destruct A as [a [A W]]. apply within_app in W. destruct W as [q ->].
    unfold label. rewrite !look_app, (R a A). reflexivity. }
  assert (FB : label p (frame (backwards c) t') = if in_any (lone_old c) p then None else label p t).
  { unfold t'. rewrite (frame_same c s F V H0 S). rewrite (label_frame c s F). unfold taken. rewrite in_any_app, A, orb_false_r. reflexivity. }
  assert (HP : forall l, In l hollow_ones -> label l t <> None) by (intros l I; apply in_hollow_ones in I; rewrite label_none; destruct I as [_ ->]; discriminate).
  assert (UP : forall q x, label x t <> None -> within q x = true -> label q t <> None) by (intros q x X W; apply within_app in W; destruct W as [y ->]; exact (label_around _ _ _ X)).
  assert (FA : some_above p (fields (backwards c) (convert c s)) -> label p t <> None).
  { intros [a [v [I W]]]. apply in_fields_back in I. destruct I as [_ I]. apply above_within in W. apply (UP p a); [|tauto]. rewrite label_none. congruence. }
  destruct (label_writes (fields (backwards c) (convert c s)) p base) as [[E G]|[E [G H]]].
  { intros a v I. apply in_fields_back in I. exact (in_any_false _ _ _ A (proj1 I)). }
  - rewrite E. unfold base. destruct (in_any (lone_old c) p) eqn:L.
    + destruct (label p t) as [n|] eqn:T.
      * assert (T' : label p t <> None) by congruence. destruct (owned _ _ V p L T') as [I|I]; [|congruence].
        rewrite (lone_objects _ _ V p n I T). assert (HH : forall l, In l hollow_ones -> within l p = true -> l = p).
        { intros l J W. apply in_hollow_ones in J. destruct J as [_ J]. apply within_app in W. destruct W as [q ->].
          destruct q; [symmetry; apply app_nil_r|]. exfalso. rewrite label_none, look_app, J in T'. apply T'. apply look_hollow. discriminate. }
        destruct (lone_is_full p I T') as [X|[a [X [Y Z]]]].
        -- apply label_hollows_some; [left; exact FB | exact HH | exact X].
        -- destruct G as [G|G].
           ++ unfold base in G. destruct (existsb (within p) hollow_ones) eqn:X'.
              ** apply existsb_exists in X'. apply label_hollows_some; [left; exact FB | exact HH | exact X'].
              ** exfalso. apply G. clear G E. revert FB HH X'. generalize hollow_ones. intros ls FB HH X'.
                 induction ls as [|l ls IH]; [exact FB|]. simpl in X'. apply orb_false_iff in X'. destruct X' as [X1 X2]. simpl.
                 destruct (within l p) eqn:W; [rewrite (HH l (or_introl eq_refl) W) in X1; rewrite within_refl in X1; discriminate|].
                 unfold label. rewrite look_put_apart by (apply apart_within; auto). apply IH; [intros; apply HH; [right|]; assumption | exact X2].
           ++ exfalso. apply G. destruct (look a t) as [x|] eqn:LA; [|congruence]. exists a, x. split; [apply in_fields_back; auto | exact Z].
      * apply label_hollows_none; [exact FB|]. intros l I. destruct (within p l) eqn:W; [|reflexivity]. destruct (UP p l (HP l I) W). exact T.
    + destruct (label_writes (hollows hollow_ones) p (frame (backwards c) t')) as [[X _]|[X [_ [l [v [I W]]]]]].
      * intros l v I. unfold hollows in I. apply in_map_iff in I. destruct I as [m [Q I]]. injection Q as -> _. apply in_hollow_ones in I. exact (in_any_false _ _ _ L (proj1 I)).
      * rewrite X. exact FB.
      * exfalso. rewrite FB in X. unfold hollows in I. apply in_map_iff in I. destruct I as [m [Q I]]. injection Q as -> _.
        apply above_within in W. exact (UP p l (HP l I) (proj1 W) X).
  - rewrite G. specialize (FA H). destruct (in_any (lone_old c) p) eqn:L.
    + destruct (owned _ _ V p L FA) as [I|I]; [|congruence]. destruct (label p t) as [n|] eqn:T; [|congruence].
      rewrite (lone_objects _ _ V p n I T). reflexivity.
    + exfalso. assert (B : label p base = label p t); [|congruence]. unfold base.
      destruct (label_writes (hollows hollow_ones) p (frame (backwards c) t')) as [[X _]|[X _]].
      * intros l v I. unfold hollows in I. apply in_map_iff in I. destruct I as [m [Q I]]. injection Q as -> _. apply in_hollow_ones in I. exact (in_any_false _ _ _ L (proj1 I)).
      * rewrite X. exact FB.
      * exfalso. rewrite FB in X. congruence.
Qed.
End Back.

(* ---- all histories ---- *)

Lemma honest_new : forall c s, fits c -> valid c (object s) -> honest c s -> honest (backwards c) (convert c s).
Proof.
  intros c s F V H0 q p I. simpl in I. rewrite zip_map in I. apply in_map_iff in I. destruct I as [r [E I]]. injection E as <- K.
  unfold keep in K. destruct (equal _ _) eqn:Q in K; [discriminate|]. injection K as <-. simpl.
  set (t := object s) in *. split; [apply reads_length|]. split.
  { intros E. rewrite (proj2 (equal_spec _ _) E) in Q. discriminate. }
  intros u G Y. unfold fresh in G. simpl in G. apply equal_spec in G.
  assert (D : reads (new r) u = reads (new r) (object (convert c s))).
  { destruct (checks c F) as (_ & _ & _ & _ & D & _). unfold depends in D. rewrite forallb_forall in D. specialize (D r I). rewrite forallb_forall in D.
    unfold reads. apply map_ext_in. intros b B. specialize (D b B). apply in_any_spec in D. destruct D as [a [A W]].
    apply within_app in W. destruct W as [x ->]. rewrite !look_app.
    assert (M : look a u = look a (object (convert c s))).
    { apply (in_combine_reads _ u) in A. assert (A' := A). apply in_combine_l in A'. rewrite G in A. symmetry. exact (combine_reads _ _ _ _ A). }
    rewrite M. reflexivity. }
  destruct (zip_all _ _ _ (kept s) r I) as [k Z]. rewrite (reads_new c s F V H0 r k Z) in D. fold t in D.
  rewrite D in *. unfold out in *. destruct k as [k|]; [|reflexivity]. destruct (fresh (on_old r) k t); [|reflexivity].
  destruct (H0 r k Z) as (_ & N & _). contradiction.
Qed.

Lemma stands_new : forall c s, fits c -> valid c (object s) -> honest c s -> stands c s (object s) -> stands (backwards c) (convert c s) (object (convert c s)).
Proof.
  intros c s F V H0 S. set (t := object s) in *. set (t' := object (convert c s)).
  destruct (checks c F) as (K1 & _ & _ & K4 & _). destruct (one_fields c K1) as [P [_ U]].
  assert (G : forall x q, In x (taken c) -> look x t <> None -> above q x = true -> in_any (flat_map old (rules c)) q = false ->
    ~ In q (lone_old c) -> in_any (made c) q = false -> label q t' <> None).
  { intros x q X L A N NL M. assert (T : in_any (taken c) q = false).
    { unfold taken. rewrite in_any_app, N, orb_false_r. destruct (checks c F) as (_ & _ & K & _). unfold around in K. rewrite !andb_true_iff in K. destruct K as [_ K].
      rewrite forallb_forall in K. specialize (K x X). rewrite forallb_forall in K. specialize (K q (proj2 (prefixes_above x q) A)).
      apply orb_true_iff in K. destruct K as [K|K]; [apply member_spec in K; contradiction | apply negb_true_iff; exact K]. }
    assert (E := frame_same c s F V H0 S q). rewrite (label_frame c s F), T in E.
    assert (FN : label q (frame (backwards c) t') = label q t').
    { unfold frame. rewrite label_dels by (rewrite taken_backwards; apply (one_new c F)). rewrite taken_backwards, M. reflexivity. }
    fold t' in E. rewrite FN in E. fold t in E. rewrite E. apply above_within in A. destruct A as [W _]. apply within_app in W. destruct W as [y ->].
    apply (label_around q y). rewrite label_none. exact L. }
  assert (NA : forall a q, In a (flat_map old (rules c)) -> above q a = true -> in_any (flat_map old (rules c)) q = false).
  { intros a q A B. apply not_true_is_false. intros E. apply in_any_spec in E. destruct E as [x [X W]].
    apply above_within in B. destruct B as [B1 B2]. assert (W2 := within_trans _ _ _ W B1).
    assert (x <> a) by (intros ->; congruence).
    revert P X A H W2. generalize (flat_map old (rules c)). clear. induction l as [|y l IH]; intros P X A H W2; [destruct X|].
    apply pairwise_cons in P. destruct P as [Q P]. destruct X as [->|X], A as [->|A]; [congruence | | | exact (IH P X A H W2)].
    - specialize (Q a A). apply apart_within in Q. destruct Q. congruence.
    - specialize (Q x X). apply apart_within in Q. destruct Q. congruence. }
  split.
  - intros f p a v q I _ J A. simpl in I. rewrite zip_map in I. apply in_map_iff in I. destruct I as [r [E I]]. injection E as <- K.
    unfold keep in K. destruct (equal _ _) in K; [discriminate|]. injection K as <-. simpl in J.
    assert (J' : look a t <> None) by (apply combine_reads in J; unfold t; rewrite J; discriminate). apply in_combine_l in J. simpl.
    assert (X : In a (flat_map old (rules c))) by (apply in_flat_map; eauto).
    destruct (around_rule (backwards c) (fits_backwards c F) (flip r) a q) as [L|[_ M]]; [simpl; apply in_map; exact I | exact J | exact A | left; exact L |].
    rewrite taken_backwards in M. destruct (in_dec (list_eq_dec step_eq_dec) q (lone_old c)) as [L|NL]; [left; exact L | right].
    apply (G a); [apply in_or_app; auto | exact J' | exact A | exact (NA a q X A) | exact NL | exact M].
  - intros l was q I _ A. simpl in I. rewrite zip_self in I. apply in_map_iff in I. destruct I as [m [E I]]. injection E as -> K. simpl.
    unfold keep_empty in K. fold t in K. destruct (look l t) as [o|] eqn:L; [|discriminate].
    destruct (in_dec (list_eq_dec step_eq_dec) q (lone_old c)) as [Q|NL]; [left; exact Q | right].
    destruct (around_lone (backwards c) (fits_backwards c F) l q) as [Q|M]; [exact I | exact A | contradiction |].
    rewrite taken_backwards in M. apply (G l); [apply in_or_app; auto | congruence | exact A | | exact NL | exact M].
    destruct (in_any (flat_map old (rules c)) q) eqn:E; [|reflexivity]. rewrite <- (U l I). symmetry. apply in_any_spec in E. destruct E as [x [X W]].
    apply in_any_spec. exists x. split; [exact X|]. apply above_within in A. exact (within_trans _ _ _ W (proj1 A)).
Qed.

Definition edit (t : tree) (s : state) : state := {| object := t; kept := kept s; empty := empty s |}.

(* An object with its stash, after any conversions, and edits by clients of either version. *)
Inductive reached : conversion -> state -> Prop :=
| created : forall c t, valid c t -> reached c (bare t)
| converted : forall c s, reached c s -> reached (backwards c) (convert c s)
| edited : forall c s t, reached c s -> valid c t -> stands c s t -> reached c (edit t s).

Lemma reached_holds : forall c s, reached c s -> fits c -> valid c (object s) /\ honest c s /\ stands c s (object s).
Proof.
  induction 1 as [c t V|c s R H|c s t R H V S]; intros F.
  - split; [exact V|]. split; [apply honest_bare | apply stands_bare].
  - assert (F' := fits_backwards _ F). rewrite backwards_twice in F'. destruct (H F') as (V & O & S).
    split; [apply valid_new; assumption|]. split; [apply honest_new; assumption | apply stands_new; assumption].
  - destruct (H F) as (_ & O & _). split; [exact V|]. split; [exact O | exact S].
Qed.

(* The theorem. In every history, an object comes back as it was from the other version: also an object that a client of this version
   has just edited, so no kept value undoes the edit. *)
Theorem nothing_is_lost : forall c s, fits c -> reached c s -> same (object (convert (backwards c) (convert c s))) (object s).
Proof.
  intros c s F R. destruct (reached_holds c s R F) as (V & O & S). apply round_trip; assumption.
Qed.

(* A value that is kept is dropped when a client has changed a value that it depends on: the field is then the partner of the field
   of this version. *)
Theorem an_edit_wins : forall c s r p, fits c -> reached c s -> In (r, Some p) (zip (rules c) (kept s)) -> reads (on_old r) (object s) <> seen p ->
  reads (new r) (object (convert c s)) = there r (reads (old r) (object s)).
Proof.
  intros c s r p F R I N. destruct (reached_holds c s R F) as (V & O & S). rewrite (reads_new c s F V O r (Some p) I). unfold out, fresh.
  destruct (equal _ _) eqn:E; [|reflexivity]. apply equal_spec in E. contradiction.
Qed.

(* If all kept values are stale, nothing remains of them: the conversion is that of an object without a stash, so they never revive. *)
Theorem stale_is_gone : forall c s,
  (forall r p, In (r, Some p) (zip (rules c) (kept s)) -> fresh (on_old r) p (object s) = false) ->
  (forall l was, In (l, Some was) (zip (lone_new c) (empty s)) -> equal (reads (watch (backwards c) l) (object s)) was = false) ->
  convert c s = convert c (bare (object s)).
Proof.
  intros c s R E. unfold convert. simpl. 
  assert (FF : fields c s = fields c (bare (object s))).
  { unfold fields. simpl. revert R. generalize (kept s). induction (rules c) as [|r rs H]; intros ks R; simpl; [reflexivity|].
    rewrite (H (tl ks)) by (intros; apply R; right; assumption). f_equal. destruct ks as [|[p|] ks]; simpl; try reflexivity.
    rewrite (R r p) by (left; reflexivity). reflexivity. }
  assert (EE : empties c s = empties c (bare (object s))).
  { unfold empties. f_equal. simpl. revert E. generalize (empty s). induction (lone_new c) as [|l ls H]; intros es E; simpl; [reflexivity|].
    rewrite (H (tl es)) by (intros; apply E; right; assumption). f_equal. destruct es as [|[w|] es]; simpl; try reflexivity.
    assert (X := E l w (or_introl eq_refl)). simpl in X. rewrite X. reflexivity. }
  rewrite FF, EE. reflexivity.
Qed.

Print Assumptions nothing_is_lost.
Print Assumptions an_edit_wins.
Print Assumptions stale_is_gone.

(* Objects are trees of values. This file has the ways to read, write and delete a field at a path, and the laws that rules.v needs. *)
Require Import String ZArith Bool Arith Lia List.
Import ListNotations.
Open Scope list_scope.

(* A step leads from an object to a member, or from a list to an element. *)
Inductive step := Key (name : string) | At (index : nat).
Definition path := list step.

(* A value is a node and the values inside: the members of an object, the elements of a list, otherwise nothing. *)
Inductive node := Null | Boolean (b : bool) | Number (n : Z) | Text (s : string) | Object | Items.
Inductive tree := Tree (n : node) (inside : list (step * tree)).

Definition root (t : tree) : node := match t with Tree n _ => n end.
Definition inside (t : tree) : list (step * tree) := match t with Tree _ l => l end.
Definition hollow : tree := Tree Object [].

Definition step_eq_dec : forall a b : step, {a = b} + {a <> b}.
Proof. decide equality; [apply string_dec | apply Nat.eq_dec]. Defined.
Definition node_eq_dec : forall a b : node, {a = b} + {a <> b}.
Proof. decide equality; [apply bool_dec | apply Z.eq_dec | apply string_dec]. Defined.
Definition tree_eq_dec : forall a b : tree, {a = b} + {a <> b}.
Proof.
  fix same 1; intros [n l] [m k].
  destruct (node_eq_dec n m) as [->|]; [|right; congruence].
  assert (D : {l = k} + {l <> k}).
  { revert k; induction l as [|[s x] l again]; intros [|[r y] k]; try (right; discriminate); [left; reflexivity|].
    destruct (step_eq_dec s r) as [->|]; [|right; congruence].
    destruct (same x y) as [->|]; [|right; congruence].
    destruct (again k) as [->|]; [left; reflexivity | right; congruence]. }
  destruct D as [->|]; [left; reflexivity | right; congruence].
Defined.

(* ---- one level ---- *)

Fixpoint get (k : step) (l : list (step * tree)) : option tree :=
  match l with
  | [] => None
  | (j, x) :: r => if step_eq_dec j k then Some x else get k r
  end.
Fixpoint set (k : step) (v : tree) (l : list (step * tree)) : list (step * tree) :=
  match l with
  | [] => [(k, v)]
  | (j, x) :: r => if step_eq_dec j k then (k, v) :: r else (j, x) :: set k v r
  end.
Fixpoint unset (k : step) (l : list (step * tree)) : list (step * tree) :=
  match l with
  | [] => []
  | (j, x) :: r => if step_eq_dec j k then unset k r else (j, x) :: unset k r
  end.

Lemma get_set : forall j k v l, get j (set k v l) = if step_eq_dec k j then Some v else get j l.
Proof.
  induction l as [|[i x] l H]; simpl.
  - destruct (step_eq_dec k j); reflexivity.
  - destruct (step_eq_dec i k) as [->|]; simpl.
    + destruct (step_eq_dec k j); reflexivity.
    + rewrite H. destruct (step_eq_dec i j) as [->|], (step_eq_dec k j) as [->|]; congruence.
Qed.

Lemma get_unset : forall j k l, get j (unset k l) = if step_eq_dec k j then None else get j l.
Proof.
  induction l as [|[i x] l H]; simpl.
  - destruct (step_eq_dec k j); reflexivity.
  - destruct (step_eq_dec i k) as [->|]; simpl; rewrite H.
    + destruct (step_eq_dec k j); reflexivity.
    + destruct (step_eq_dec i j) as [->|], (step_eq_dec k j) as [->|]; congruence.
Qed.

(* ---- paths ---- *)

Fixpoint look (p : path) (t : tree) : option tree :=
  match p with
  | [] => Some t
  | k :: q => match get k (inside t) with Some u => look q u | None => None end
  end.

(* put makes the objects on the way. *)
Fixpoint put (p : path) (v t : tree) : tree :=
  match p with
  | [] => v
  | k :: q => Tree (root t) (set k (put q v (match get k (inside t) with Some u => u | None => hollow end)) (inside t))
  end.

(* del leaves the objects on the way. *)
Fixpoint del (p : path) (t : tree) : tree :=
  match p with
  | [] => t
  | [k] => Tree (root t) (unset k (inside t))
  | k :: q => match get k (inside t) with Some u => Tree (root t) (set k (del q u) (inside t)) | None => t end
  end.

(* label is what stands at a path: of an object or a list, only that it is one. Two objects are equal if they have the same labels. *)
Definition label (p : path) (t : tree) : option node := option_map root (look p t).
Definition same (t u : tree) : Prop := forall p, label p t = label p u.

(* within a p: the path p leads to the value at a, or into it. above p a: p leads to an object around it. *)
Fixpoint within (a p : path) : bool :=
  match a, p with
  | [], _ => true
  | j :: a', k :: p' => if step_eq_dec j k then within a' p' else false
  | _ :: _, [] => false
  end.
Definition above (p a : path) : bool := within p a && negb (within a p).
Definition apart (a b : path) : bool := negb (within a b) && negb (within b a).

Lemma within_app : forall a p, within a p = true <-> exists q, p = a ++ q.
Proof.
  induction a as [|j a H]; intros p; simpl.
  - split; [exists p; reflexivity | reflexivity].
  - destruct p as [|k p]; [split; [discriminate | intros [q E]; discriminate]|].
    destruct (step_eq_dec j k) as [->|].
    + rewrite H. split; intros [q E]; exists q; congruence.
    + split; [discriminate | intros [q E]; congruence].
Qed.
Lemma within_refl : forall a, within a a = true.
Proof. intros a. apply within_app. exists []. symmetry. apply app_nil_r. Qed.
Lemma within_trans : forall a b c, within a b = true -> within b c = true -> within a c = true.
Proof. intros a b c [x ->]%within_app [y ->]%within_app. apply within_app. exists (x ++ y). symmetry. apply app_assoc. Qed.
Lemma within_antisym : forall a b, within a b = true -> within b a = true -> a = b.
Proof.
  induction a as [|j a H]; intros [|k b]; simpl; try discriminate; [reflexivity|].
  destruct (step_eq_dec j k) as [->|], (step_eq_dec k k); try discriminate; try congruence.
  intros. f_equal. apply H; assumption.
Qed.
Lemma within_both : forall a b p, within a p = true -> within b p = true -> within a b = true \/ within b a = true.
Proof.
  induction a as [|j a H]; intros [|k b] p; auto.
  destruct p as [|i p]; simpl; [discriminate|].
  destruct (step_eq_dec j i) as [->|]; [|discriminate]. destruct (step_eq_dec k i) as [->|]; [|discriminate].
  destruct (step_eq_dec i i); [|congruence]. apply H.
Qed.

Lemma look_app : forall p q t, look (p ++ q) t = match look p t with Some u => look q u | None => None end.
Proof.
  induction p as [|k p H]; intros q t; simpl; [reflexivity|].
  destruct (get k (inside t)); [apply H | reflexivity].
Qed.

(* A value has all objects around it. *)
Lemma label_around : forall p q t, label (p ++ q) t <> None -> label p t <> None.
Proof. intros p q t. unfold label. rewrite look_app. destruct (look p t); simpl; congruence. Qed.

(* ---- the laws ---- *)

Lemma look_put_in : forall a q v t, look (a ++ q) (put a v t) = look q v.
Proof.
  induction a as [|k a H]; intros q v t; simpl; [reflexivity|].
  rewrite get_set. destruct (step_eq_dec k k); [apply H | congruence].
Qed.
Lemma look_hollow : forall p, p <> [] -> look p hollow = None.
Proof. destruct p; simpl; congruence. Qed.

Lemma look_put_apart : forall a p v t, apart a p = true -> look p (put a v t) = look p t.
Proof.
  induction a as [|k a H]; intros p v t; [discriminate|].
  destruct p as [|j p]; [discriminate|]. intros A. simpl. rewrite get_set.
  destruct (step_eq_dec k j) as [->|]; [|reflexivity].
  assert (B : apart a p = true) by (revert A; unfold apart; simpl; destruct (step_eq_dec j j); [auto | congruence]).
  rewrite H by exact B.
  destruct (get j (inside t)); [reflexivity|]. apply look_hollow.
  intros ->. unfold apart in B. destruct a; discriminate.
Qed.
Lemma label_put_above : forall a p v t, above p a = true ->
  label p (put a v t) = match label p t with Some n => Some n | None => Some Object end.
Proof.
  unfold label. induction a as [|k a H]; intros p v t; [destruct p; discriminate|].
  destruct p as [|j p]; [reflexivity|]. unfold above. simpl.
  destruct (step_eq_dec j k) as [->|]; [|discriminate]. destruct (step_eq_dec k k); [|congruence]. intros A.
  rewrite get_set. destruct (step_eq_dec k k); [|congruence]. rewrite H by exact A.
  destruct (get k (inside t)); [reflexivity|]. destruct p; [reflexivity|]. rewrite look_hollow by discriminate. reflexivity.
Qed.

Lemma label_del : forall a p t, a <> [] -> label p (del a t) = if within a p then None else label p t.
Proof.
  unfold label. induction a as [|k a H]; intros p t N; [congruence|].
  destruct p as [|j p].
  { destruct a; simpl; [reflexivity|]. destruct (get k (inside t)); reflexivity. }
  destruct a as [|i a].
  - simpl. rewrite get_unset. destruct (step_eq_dec k j); reflexivity.
  - assert (M : i :: a <> []) by discriminate.
    change (del (k :: i :: a) t) with (match get k (inside t) with Some u => Tree (root t) (set k (del (i :: a) u) (inside t)) | None => t end).
    remember (i :: a) as b. destruct (get k (inside t)) as [u|] eqn:G; simpl.
    + rewrite get_set. destruct (step_eq_dec k j) as [->|]; [|reflexivity].
      rewrite H by exact M. rewrite G. reflexivity.
    + destruct (step_eq_dec k j) as [->|]; [|reflexivity]. rewrite G. destruct (within b p); reflexivity.
Qed.

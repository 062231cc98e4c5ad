(* The verbs of docs/author/rules.md that the theorem covers, and that each fulfils its condition lawful. *)
Require Import String Ascii ZArith Bool Arith Lia List.
Require Import Crosswalk.tree Crosswalk.rules.
Import ListNotations.
Open Scope list_scope.

(* rename and move: the value is the same. *)
Definition move (a b : path) : rule := {| old := [a]; new := [b]; there := fun v => v; back := fun v => v; on_old := [a]; on_new := [b] |}.

(* drop: a field of one version alone. It depends on the values at "on" in the other version, or on nothing. *)
Definition drop_new (b : path) (on : list path) : rule :=
  {| old := []; new := [b]; there := fun _ => [None]; back := fun _ => []; on_old := on; on_new := [b] |}.
Definition drop_old (a : path) (on : list path) : rule := flip (drop_new a on).

(* The verbs that make one value of one value. The functions return None for a value that they cannot convert; the stash keeps it then
   (unfit: stash). *)
Definition partner (f : tree -> option tree) (v : list (option tree)) : list (option tree) :=
  map (fun x => match x with Some y => f y | None => None end) v.
Definition change (f g : tree -> option tree) (a b : path) : rule :=
  {| old := [a]; new := [b]; there := partner f; back := partner g; on_old := [a]; on_new := [b] |}.

Definition text (s : string) := Tree (Text s) [].
Definition number (z : Z) := Tree (Number z) [].
Definition items (l : list tree) := Tree Items (combine (map At (seq 0 (length l))) l).
Definition elements (t : tree) : list tree := map snd (inside t).

(* translate: the first pair with the value counts; other values stay. *)
Definition look_up (table : list (tree * tree)) (v : tree) : option tree :=
  match find (fun p => if tree_eq_dec (fst p) v then true else false) table with Some p => Some (snd p) | None => Some v end.
Definition translate (table : list (tree * tree)) := change (look_up table) (look_up (map (fun p => (snd p, fst p)) table)).

(* convert between two units, of which one is n of the other one: rounded up. *)
Definition times (n : Z) (v : tree) : option tree := match root v with Number z => Some (number (z * n)) | _ => None end.
Definition divided (n : Z) (v : tree) : option tree := match root v with Number z => Some (number (- (- z / n))) | _ => None end.
Definition scale (n : Z) := change (times n) (divided n).

(* wrap, nest: a value is the element of a list, a member of an object. *)
Definition wrapped (v : tree) : option tree := Some (items [v]).
Definition unwrapped (v : tree) : option tree := match v with Tree Items ((_, x) :: _) => Some x | _ => None end.
Definition wrap := change wrapped unwrapped.
Definition nested (key : string) (v : tree) : option tree := Some (Tree Object [(Key key, v)]).
Definition unnested (key : string) (v : tree) : option tree := match v with Tree Object l => get (Key key) l | _ => None end.
Definition nest (key : string) := change (nested key) (unnested key).

(* splitList at one character; the empty text is the empty list. *)
Fixpoint cut_all (c : ascii) (s : string) : list string :=
  match s with
  | EmptyString => [EmptyString]
  | String d r => match cut_all c r with
    | p :: ps => if ascii_dec d c then EmptyString :: p :: ps else String d p :: ps
    | [] => []
    end
  end.
Definition contains (c : ascii) (s : string) : bool := match cut_all c s with _ :: _ :: _ => true | _ => false end.
Definition text_of (v : tree) : option string := match v with Tree (Text s) _ => Some s | _ => None end.
Fixpoint texts_of (l : list tree) : option (list string) :=
  match l with
  | [] => Some []
  | v :: r => match text_of v, texts_of r with Some s, Some ss => Some (s :: ss) | _, _ => None end
  end.
Definition list_of_text (c : ascii) (v : tree) : option tree :=
  match text_of v with
  | None => None
  | Some EmptyString => Some (items [])
  | Some s => Some (items (map text (cut_all c s)))
  end.
Definition text_of_list (c : ascii) (v : tree) : option tree :=
  match root v, texts_of (elements v) with
  | Items, Some l => if existsb (contains c) l || (if list_eq_dec string_dec l [EmptyString] then true else false) then None
                     else Some (text (String.concat (String c EmptyString) l))
  | _, _ => None
  end.
Definition split_list (c : ascii) := change (list_of_text c) (text_of_list c).

(* split at the first separator, into two parts. *)
Definition parts_of (c : ascii) (v : list (option tree)) : list (option tree) :=
  match v with
  | [Some x] => match text_of x with
    | Some s => match cut_all c s with
      | p :: q :: r => [Some (text p); Some (text (String.concat (String c EmptyString) (q :: r)))]
      | _ => [None; None]
      end
    | None => [None; None]
    end
  | _ => [None; None]
  end.
Definition text_of_parts (c : ascii) (v : list (option tree)) : list (option tree) :=
  match v with
  | [Some x; Some y] => match text_of x, text_of y with
    | Some p, Some q => if contains c p then [None] else [Some (text (p ++ String c q))]
    | _, _ => [None]
    end
  | _ => [None]
  end.
Definition split (c : ascii) (a b1 b2 : path) : rule :=
  {| old := [a]; new := [b1; b2]; there := parts_of c; back := text_of_parts c; on_old := [a]; on_new := [b1; b2] |}.

(* A kept value in an element of a list depends on the list. *)
Definition in_list (l : path) (r : rule) : rule :=
  {| old := old r; new := new r; there := there r; back := back r; on_old := [l]; on_new := [l] |}.
(* each: the rules of each element of a list with n elements. *)
Definition each (l : path) (n : nat) (rs : path -> list rule) : list rule :=
  flat_map (fun i => map (in_list l) (rs (l ++ [At i]))) (seq 0 n).

(* ---- each verb is lawful ---- *)

Lemma lawful_move : forall a b, lawful (move a b).
Proof. constructor; simpl; auto. Qed.
Lemma lawful_drop_new : forall b on, lawful (drop_new b on).
Proof. constructor; simpl; auto; intros v _ x I; simpl in I; intuition auto. Qed.
Lemma lawful_drop_old : forall a on, lawful (drop_old a on).
Proof. intros. apply lawful_flip. apply lawful_drop_new. Qed.
Lemma absent_partner : forall f v, absent v -> absent (partner f v).
Proof. unfold absent, partner. intros f v A x I. apply in_map_iff in I. destruct I as [y [E I]]. rewrite (A y I) in E. auto. Qed.
Lemma lawful_change : forall f g a b, lawful (change f g a b).
Proof.
  constructor; simpl; intros; try (apply absent_partner; assumption); unfold partner; rewrite map_length; assumption.
Qed.
Lemma lawful_split : forall c a b1 b2, lawful (split c a b1 b2).
Proof.
  constructor; simpl; intros v H.
  - destruct v as [|[x|] [|y v]]; try reflexivity. simpl. destruct (text_of x); [|reflexivity].
    destruct (cut_all c s) as [|p [|q r]]; reflexivity.
  - destruct v as [|[x|] [|[y|] [|z v]]]; try reflexivity. simpl. destruct (text_of x), (text_of y); try reflexivity.
    destruct (contains c s); reflexivity.
  - intros z I. destruct v as [|[x|] [|y v]]; try (specialize (H (Some x) (or_introl eq_refl)); discriminate); simpl in I; intuition auto.
  - intros z I. destruct v as [|[x|] v]; try (specialize (H (Some x) (or_introl eq_refl)); discriminate); simpl in I; intuition auto.
Qed.
Lemma lawful_in_list : forall l r, lawful r -> lawful (in_list l r).
Proof. intros l r []. constructor; assumption. Qed.

package prove

// lemma decides about one rule: whether the conditions hold under which it loses nothing. It has a
// method for each verb.
type lemma struct{ *stash }

package sums

// Join returns the verdict on the files of several owners' directories, of which each has a list of
// its own. A file's name then begins with its owner, see watch.SplitOwner.
func Join(owners map[string]*Check) *Check { return &Check{owners: owners} }

// For returns the verdict on the files of one owner. Without owners, it is the verdict itself.
func (c *Check) For(owner string) *Check {
	if c.owners == nil {
		return c
	}
	if one := c.owners[owner]; one != nil {
		return one
	}
	return &Check{}
}

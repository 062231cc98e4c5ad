package command

// ExampleTest is the annotation of a command whose examples need more than files, such as a
// cluster: the test that runs them. The value names it for readers.
const ExampleTest = "crosswalk/example-test"

// LiveExample is the annotation of a command of which the examples with --live need a cluster: the
// test that runs them.
const LiveExample = "crosswalk/live-example-test"

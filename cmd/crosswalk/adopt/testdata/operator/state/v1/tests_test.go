package v1

func init() { TestName = "b" }

package v2

// +groupName=demo.example.com

func GroupVersionOf(v string) string { return Group + "/" + v }

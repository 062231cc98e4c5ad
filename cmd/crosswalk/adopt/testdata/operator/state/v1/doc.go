// Package v1 has a kind for each sort of state, and each way to set it.
// +groupName=state.example.com
package v1

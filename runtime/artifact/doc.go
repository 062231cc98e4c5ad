// Package artifact parses the files of a module: its name, the packed or plain module, the sidecar with
// golden cases, known losses and declared fields. It reads hostile bytes under bounds, and runs nothing.
package artifact

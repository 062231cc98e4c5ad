module gopkg.in/inf.v0

go 1.24

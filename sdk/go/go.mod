module github.com/crosswalk-gateway/crosswalk/sdk/go

go 1.24

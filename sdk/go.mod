module github.com/crosswalk-gateway/crosswalk/sdk

go 1.24

/** A certificate for `service.test` that nobody else accepts, and its key. */
export const certificate = `-----BEGIN CERTIFICATE-----
MIIBnzCCAUSgAwIBAgIUEZs8+6xWoAg7X+lE4BU62RJH88owCgYIKoZIzj0EAwIw
FzEVMBMGA1UEAwwMc2VydmljZS50ZXN0MCAXDTI2MTEyMTA5MjQxNloYDzIxMjYx
MDI4MDkyNDE2WjAXMRUwEwYDVQQDDAxzZXJ2aWNlLnRlc3QwWTATBgcqhkjOPQIB
BggqhkjOPQMBBwNCAATXXceWyKyyVtsDqFd/E4FBdyFidKyAk6wjhMnndsjIF2cF
kyjA6m5KFeE/wJoIq3L+YEitAeY/Gm6UbpLbwYsdo2wwajAdBgNVHQ4EFgQUr9mM
P/Dykmv+8Aw8+dd1BgNFui0wHwYDVR0jBBgwFoAUr9mMP/Dykmv+8Aw8+dd1BgNF
ui0wDwYDVR0TAQH/BAUwAwEB/zAXBgNVHREEEDAOggxzZXJ2aWNlLnRlc3QwCgYI
KoZIzj0EAwIDSQAwRgIhAJ36BmthO01GsckUfZHxAGZe6Wbv/5kkFQVhMpOjIKrc
AiEAyghHlIhz0gL5klVbLtqRGxfubDh2vRMJvmXNGqPXmgg=
-----END CERTIFICATE-----
`

export const certificateKey = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQggqbc7sShuH9xGKXm
xLFBww6NUgmiTOykjhPk5JZGx86hRANCAATXXceWyKyyVtsDqFd/E4FBdyFidKyA
k6wjhMnndsjIF2cFkyjA6m5KFeE/wJoIq3L+YEitAeY/Gm6UbpLbwYsd
-----END PRIVATE KEY-----
`

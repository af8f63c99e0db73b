package main

// never is the body of a function that the program can't come to.
const never = `panic("left out of the browser program")`

// cuts are what the browser program is built without. Together they are some 380 kB of
// brotli.
var cuts = []cut{
	// Regular expressions: the only one is the router's, "^/". Classes by name need all
	// tables of Unicode; one-pass is a faster way to the same matches.
	{Package: "regexp/syntax", Bodies: map[string]string{"parser.parseUnicodeClass": `return nil, "", &Error{ErrInvalidCharRange, s}`}},
	{Package: "regexp", Bodies: map[string]string{"compileOnePass": "return nil"}},

	// The browser has its own proxies, name service, MIME types and TLS, and it is not
	// the browser's program that is certified under FIPS 140. What of these is
	// linked is so because package variables and init functions hold it.
	{Package: "net/http", Bodies: map[string]string{"ProxyFromEnvironment": "return nil, nil"}},
	{Package: "net", Vars: map[string]string{"readProtocolsOnce": "func()"}, Bodies: map[string]string{"lookupProtocol": "return lookupProtocolMap(name)"}},
	{Package: "mime", Bodies: map[string]string{"initMimeUnix": ""}},
	{Package: "vendor/golang.org/x/text/secure/bidirule", Inits: true},
	{Package: "crypto/hpke", Vars: map[string]string{
		"dhKEMP256": "*dhKEM", "dhKEMP384": "*dhKEM", "dhKEMP521": "*dhKEM", "dhKEMX25519": "*dhKEM",
		"mlkem768": "*mlkemKEM", "mlkem1024": "*mlkemKEM",
		"mlkem768X25519": "*hybridKEM", "mlkem768P256": "*hybridKEM", "mlkem1024P384": "*hybridKEM",
		"hkdfSHA256": "*hkdfKDF", "hkdfSHA384": "*hkdfKDF", "hkdfSHA512": "*hkdfKDF",
		"shake128KDF": "*shakeKDF", "shake256KDF": "*shakeKDF",
		"aes128GCM": "*aead", "aes256GCM": "*aead", "chacha20poly1305AEAD": "*aead",
	}},
	{Package: "crypto/ecdsa", Vars: map[string]string{"one": "*big.Int"}},
	{Package: "crypto/internal/fips140/ecdsa", Vars: map[string]string{
		"fipsSelfTest": "func()", "fipsSelfTestDeterministic": "func()",
		"_P224": "func() *Curve[*nistec.P224Point]", "_P256": "func() *Curve[*nistec.P256Point]",
		"_P384": "func() *Curve[*nistec.P384Point]", "_P521": "func() *Curve[*nistec.P521Point]",
	}},
	{Package: "crypto/internal/fips140/ecdh", Vars: map[string]string{"fipsSelfTest": "func()"}},
	{Package: "crypto/internal/fips140/ed25519", Vars: map[string]string{"fipsSelfTest": "func()"}},
	{Package: "crypto/internal/fips140/edwards25519", Vars: map[string]string{
		"identity": "*Point", "generator": "*Point", "d": "*field.Element", "d2": "*field.Element",
	}},
	{Package: "crypto/internal/fips140/mlkem", Vars: map[string]string{"fipsSelfTest": "func()"}},
	{Package: "crypto/internal/fips140/rsa", Vars: map[string]string{"fipsSelfTest": "func()"}},
	{Package: "crypto/internal/fips140/nistec", Inits: true}, // a table of 88 kB
	{Package: "crypto/internal/fips140/check", Inits: true},
	{Package: "crypto/internal/fips140/aes", Inits: true},
	{Package: "crypto/internal/fips140/aes/gcm", Inits: true},
	{Package: "crypto/internal/fips140/drbg", Inits: true},
	{Package: "crypto/internal/fips140/hkdf", Inits: true},
	{Package: "crypto/internal/fips140/hmac", Inits: true},
	{Package: "crypto/internal/fips140/sha256", Inits: true},
	{Package: "crypto/internal/fips140/sha3", Inits: true},
	{Package: "crypto/internal/fips140/sha512", Inits: true},
	{Package: "crypto/internal/fips140/tls12", Inits: true},
	{Package: "crypto/internal/fips140/tls13", Inits: true},
	// Hashes by number, for signatures.
	{Package: "crypto/md5", Inits: true},
	{Package: "crypto/sha1", Inits: true},
	{Package: "crypto/sha256", Inits: true},
	{Package: "crypto/sha3", Inits: true},
	{Package: "crypto/sha512", Inits: true},
	// Numbers of certificates, which could be printed.
	{Package: "math/big", Bodies: map[string]string{"nat.itoa": never, "nat.scan": never}},

	// Names of characters in HTML, of which the app writes four and reads none.
	{Package: "html", Gone: []string{"UnescapeString"}, Vars: map[string]string{
		"entityMaps": "func() (entity map[string]rune, entity2 map[string][2]rune)",
	}},

	// Counts of what GODEBUG changes, and with them all metrics of the runtime.
	{Package: "internal/godebug", Bodies: map[string]string{"Setting.register": ""}},
	// The search for the caller at whom a setting of GODEBUG breaks something.
	{Package: "internal/bisect", Bodies: map[string]string{"Matcher.Stack": "return true"}},
}

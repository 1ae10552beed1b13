package postgres_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net/url"
	"os"
	"path/filepath"
	"testing"
	"time"

	"torve/internal/record"
	"torve/internal/record/postgres"
	"torve/internal/record/postgres/pgtest"
)

// certified writes a key and a certificate that signs itself, for a name.
func certified(t testing.TB, dir, name string) (cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, DNSNames: []string{name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	cert, key = filepath.Join(dir, name+".crt"), filepath.Join(dir, name+".key")
	for file, block := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: der}, key: {Type: "PRIVATE KEY", Bytes: secret}} {
		if err := os.WriteFile(file, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
		pgtest.Give(t, file)
	}
	return cert, key
}

func TestWhatADSNSaysOfTLSIsHeeded(t *testing.T) {
	t.Parallel()
	dir := pgtest.Folder(t)
	cert, key := certified(t, dir, "localhost")
	other, _ := certified(t, dir, "elsewhere")
	c := pgtest.Own(t, "ssl=on", "ssl_cert_file="+cert, "ssl_key_file="+key)
	plain := c.Database(t)
	if _, err := postgres.Migrate(t.Context(), plain, postgres.Roles{}); err != nil {
		t.Fatal(err)
	}
	with := func(host, mode, root string) string {
		return changed(t, plain, func(u *url.URL, q url.Values) {
			u.Host = host + ":" + u.Port()
			q.Set("sslmode", mode)
			if root != "" {
				q.Set("sslrootcert", root)
			}
		})
	}
	for dsn, encrypted := range map[string]bool{
		plain:                                  false,
		with("localhost", "require", ""):       true,
		with("localhost", "verify-full", cert): true,
		with("127.0.0.1", "verify-ca", cert):   true,
	} {
		l := plainly(t, dsn)
		add(t, l, note(t, dsn))
		var is bool
		if err := postgres.Ask(l, "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()", &is); err != nil || is != encrypted {
			t.Errorf("%s: encrypted %v, %v", dsn, is, err)
		}
	}
	for dsn, words := range map[string]string{
		with("localhost", "verify-full", other): "unknown authority",
		with("127.0.0.1", "verify-full", cert):  "127.0.0.1",
		with("localhost", "verify-full", ""):    "unknown authority",
	} {
		unopened(t, dsn, record.ErrUnreachable, words)
	}
	unopened(t, changed(t, fresh(t), func(_ *url.URL, q url.Values) { q.Set("sslmode", "require") }), record.ErrUnreachable, "TLS")
}

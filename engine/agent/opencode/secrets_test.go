package opencode

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestSecretsAreTheCredentialValuesAlone(t *testing.T) {
	home := t.TempDir()
	for name, text := range map[string]string{
		".local/share/opencode/auth.json": `{"acme":{"type":"api","key":"acme-key-0123456789"},"other":{"type":"oauth","access":"oauth-access-012345","refresh":"oauth-refresh-01234","expires":1}}`,
		".config/opencode/opencode.json":  `{"provider":{"local":{"options":{"apiKey":"lm-studio","baseURL":"http://127.0.0.1:1234/v1"}},"block":{"options":{"apiKey":"block-key-012345"}}}}`,
	} {
		path := filepath.Join(home, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	env := map[string]string{"HOME": home, "OPENAI_API_KEY": "from-the-environment", "AWS_REGION": "ap-southeast-2"}
	p, err := ReadPerson(func(name string) string { return env[name] })
	if err != nil {
		t.Fatal(err)
	}
	got := p.Secrets()
	for _, want := range []string{"acme-key-0123456789", "oauth-access-012345", "oauth-refresh-01234", "block-key-012345", "from-the-environment"} {
		if !slices.Contains(got, want) {
			t.Errorf("%q is missing in %q", want, got)
		}
	}
	for _, no := range []string{"lm-studio", "ap-southeast-2", "http://127.0.0.1:1234/v1"} {
		if slices.Contains(got, no) {
			t.Errorf("%q is no credential", no)
		}
	}
}

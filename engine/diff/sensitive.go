package diff

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
)

// Sensitive knows paths on which a small mistake is a large one. The zero
// value knows the built-in ones.
type Sensitive struct{ project Globs }

// NewSensitive adds a project's own globs to the built-in paths.
func NewSensitive(globs []string) (Sensitive, error) {
	g, err := CompileGlobs(globs)
	if err != nil {
		return Sensitive{}, fmt.Errorf("sensitive paths: %w", err)
	}
	return Sensitive{project: g}, nil
}

// Of says in a few words why a file is sensitive, by any of its names; "" if
// it is not.
func (s Sensitive) Of(f *File) string {
	for _, p := range f.paths() {
		if why := s.path(p); why != "" {
			return why
		}
	}
	return ""
}

func (s Sensitive) path(p string) string {
	if pattern, ok := s.project.Which(p); ok {
		return "configured " + pattern
	}
	if migrationPath.MatchString(p) {
		return "migration"
	}
	for _, k := range sensitivePaths {
		if k.path.MatchString(p) {
			return k.why
		}
	}
	for _, w := range words(p) {
		if why := sensitiveWords[w]; why != "" {
			return why
		}
	}
	return ""
}

// sensitivePaths are files that steer what runs, what is reviewed and how: CI
// and its actions, rules of coding agents and of reviews, who must review,
// and files that hold secrets.
var sensitivePaths = []struct {
	why  string
	path *regexp.Regexp
}{
	{"CI workflow", regexp.MustCompile(`(?i)(^|/)(\.(github|gitea|forgejo)/(workflows|actions)/|\.(circleci|buildkite|gitlab|woodpecker|teamcity|azure-pipelines)/|\.(gitlab-ci|travis|drone|woodpecker|appveyor|cirrus)\.ya?ml$|(azure|bitbucket)-pipelines\.ya?ml$|cloudbuild\.ya?ml$|action\.ya?ml$|Jenkinsfile[^/]*$)`)},
	{"agent or review rules", regexp.MustCompile(`(?i)(^|/)(\.mrv/|\.ai/|\.(opencode|claude|agents|cursor|codex|gemini|roo|kiro|continue|windsurf|clinerules|aider)[^/]*(/|$)|\.(cursor|windsurf)rules$|\.github/(copilot|instructions|prompts|chatmodes)[^/]*(/|$)|(AGENTS?|CLAUDE|GEMINI|CONTEXT|CODEOWNERS)(\.[^/]*)?$|opencode\.jsonc?$|\.mcp\.json$)`)},
	{"secrets", regexp.MustCompile(`(?i)(^|/)(\.env[^/]*|\.envrc|\.npmrc|\.pypirc|\.netrc|\.htpasswd|id_(rsa|ed25519|ecdsa)[^/]*|[^/]+\.(pem|key|p12|pfx|jks|keystore|kdbx))$`)},
	{"git's own rules", regexp.MustCompile(`(^|/)\.git(attributes|modules)$|(^|/)\.(githooks|husky)/`)},
}

// sensitiveWords make a path sensitive wherever they stand in it as a word:
// "auth/", "auth_test.go", "OAuthClient.kt", not "author.go".
var sensitiveWords = map[string]string{
	"auth": "auth", "authn": "auth", "authz": "auth", "authenticate": "auth", "authentication": "auth", "authenticator": "auth",
	"authorize": "auth", "authorization": "auth", "authorizer": "auth", "oauth": "auth", "oauth2": "auth", "oidc": "auth",
	"saml": "auth", "sso": "auth", "login": "auth", "signin": "auth", "jwt": "auth", "acl": "auth", "rbac": "auth",
	"permission": "auth", "permissions": "auth", "csrf": "auth", "cors": "auth", "impersonate": "auth", "impersonation": "auth",
	"crypto": "crypto", "cryptography": "crypto", "encrypt": "crypto", "encryption": "crypto", "decrypt": "crypto",
	"decryption": "crypto", "cipher": "crypto", "tls": "crypto", "ssl": "crypto", "x509": "crypto", "hmac": "crypto",
	"certificate": "crypto", "certificates": "crypto", "certs": "crypto",
	"secret": "secrets", "secrets": "secrets", "credential": "secrets", "credentials": "secrets", "password": "secrets",
	"passwords": "secrets", "passwd": "secrets", "keyring": "secrets", "keychain": "secrets", "vault": "secrets", "apikey": "secrets",
	"security": "security", "sandbox": "security", "sanitize": "security", "sanitizer": "security", "sanitise": "security",
}

// words splits a path at everything but letters and digits and where a capital
// follows a small letter, or ends a run of capitals. "OAuth" stays one.
func words(p string) []string {
	p = strings.NewReplacer("OAuth", "Oauth", "OAUTH", "Oauth").Replace(p)
	var list []string
	var word []rune
	end := func() {
		if len(word) > 0 {
			list = append(list, strings.ToLower(string(word)))
			word = word[:0]
		}
	}
	runes := []rune(p)
	for i, r := range runes {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			end()
			continue
		}
		if i > 0 && unicode.IsUpper(r) {
			before := runes[i-1]
			ends := i+1 < len(runes) && unicode.IsLower(runes[i+1])
			if unicode.IsLower(before) || unicode.IsUpper(before) && ends {
				end()
			}
		}
		word = append(word, r)
	}
	end()
	return list
}

package document

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/mrv-dev/mrv/engine/review"
)

// Marker is how a summary comment begins. Only a comment that begins with it
// is one: anybody can quote it further down.
const Marker = "<!-- mrv:review:v1 "

const (
	dataMarker = "<!-- mrv:data v1 "
	markerEnd  = " -->"
	noDigest   = "0000000000000000000000000000000000000000000000000000000000000000"
	// inflated is how much the data of a comment may unpack to.
	inflated = 16 << 20
)

// Meta is what stands in the first line of a summary comment.
type Meta struct {
	Run        string                `json:"run"`
	Repository string                `json:"repository"`
	Number     int                   `json:"pr"`
	Head       string                `json:"head"`
	Base       string                `json:"base"`
	MergeBase  string                `json:"merge_base"`
	Verdict    review.Verdict        `json:"verdict"`
	Complete   bool                  `json:"complete"`
	Triaged    bool                  `json:"triaged"`
	TriagedBy  []string              `json:"triaged_by"`
	Accepted   int                   `json:"accepted"`
	Rejected   map[review.Reason]int `json:"rejected,omitempty"`
	Escalated  int                   `json:"escalated"`
	Undecided  int                   `json:"undecided"`
	Withheld   int                   `json:"withheld,omitempty"`
	Models     []string              `json:"models"`
	ReadMarker string                `json:"read_marker"`
	ReadBy     []string              `json:"read_by"`
	ReadNot    []string              `json:"read_not,omitempty"`
	Rules      string                `json:"rules"`
	Skill      string                `json:"skill"`
	WrittenAt  string                `json:"written_at"`
	// Partial is how many findings the data could not hold.
	Partial int `json:"partial,omitempty"`
	// Digest is the SHA-256 of the whole comment with 64 zeros in its place:
	// an edit of any of it shows.
	Digest string `json:"digest"`
}

func metaOf(d Document, opt CommentOptions) Meta {
	return Meta{
		Run: d.Run, Repository: d.Change.Repository, Number: d.Change.Number, Head: d.Change.Head, Base: d.Change.Base, MergeBase: d.Change.MergeBase,
		Verdict: d.Verdict, Complete: d.Complete, Triaged: !opt.Untriaged, TriagedBy: nonNil(d.TriagedBy), Accepted: d.Counts.Accepted,
		Rejected: d.Counts.Reasons, Escalated: d.Counts.Escalated, Undecided: d.Counts.Undecided, Withheld: len(opt.Withheld),
		Models: nonNil(d.Models), ReadMarker: d.Read.Marker, ReadBy: nonNil(d.Read.By), ReadNot: d.Read.Not,
		Rules: cmp.Or(d.Rules.Hash, d.Rules.SHA), Skill: d.Rules.Skill, WrittenAt: d.WrittenAt, Digest: noDigest,
	}
}

// line writes the marker. JSON escapes <, > and &, so nothing in it can end
// the comment mark early.
func (m Meta) line() (string, error) {
	raw, err := json.Marshal(m)
	if err != nil {
		return "", fmt.Errorf("writing the marker: %w", err)
	}
	return Marker + string(raw) + markerEnd, nil
}

// seal puts the digest into a finished comment.
func seal(body string) string {
	body = canonical(body)
	sum := sha256.Sum256([]byte(body))
	return strings.Replace(body, noDigest, hex.EncodeToString(sum[:]), 1)
}

// canonical is a body as every forge gives it back.
func canonical(body string) string {
	return strings.TrimSpace(strings.ReplaceAll(body, "\r\n", "\n"))
}

// IsSummary reports whether a comment is, or claims to be, a summary of mrv's.
func IsSummary(body string) bool { return strings.HasPrefix(strings.TrimSpace(body), Marker) }

var digestField = regexp.MustCompile(`"digest":"([0-9a-f]{64})"`)

// ParseComment reads a summary comment back: its marker, whether it is
// unchanged since it was written, and the findings in its data. A comment that
// breaks the contract is an error. Whose comment it is, is for the caller.
func ParseComment(body string) (Meta, Document, error) {
	fail := func(err error) (Meta, Document, error) {
		return Meta{}, Document{}, fmt.Errorf("reading a review from a comment: %w", err)
	}
	body = canonical(body)
	first, _, _ := strings.Cut(body, "\n")
	raw, ok := strings.CutPrefix(first, Marker)
	if !ok {
		return fail(errors.New("it does not begin with mrv's marker"))
	}
	if raw, ok = strings.CutSuffix(raw, markerEnd); !ok {
		return fail(errors.New("the marker's line does not end"))
	}
	var m Meta
	if err := json.Unmarshal([]byte(raw), &m); err != nil {
		return fail(fmt.Errorf("its marker is no JSON: %w", err))
	}
	if err := m.check(); err != nil {
		return fail(err)
	}
	if at := digestField.FindStringSubmatchIndex(first); at != nil {
		sum := sha256.Sum256([]byte(body[:at[2]] + noDigest + body[at[3]:]))
		if hex.EncodeToString(sum[:]) != m.Digest {
			return fail(errors.New("it was changed after mrv wrote it (the digest does not fit)"))
		}
	}
	d, err := decode(body)
	if err != nil {
		return fail(err)
	}
	if err := m.fits(d); err != nil {
		return fail(err)
	}
	return m, d, nil
}

var sha = regexp.MustCompile(`^([0-9a-f]{40}|[0-9a-f]{64})$`)

func (m Meta) check() error {
	switch {
	case !sha.MatchString(m.Head):
		return fmt.Errorf("its head %q is no commit", m.Head)
	case m.Run == "":
		return errors.New("it names no run")
	case len(m.Digest) != 64:
		return errors.New("it has no digest")
	case !slices.Contains([]review.Verdict{review.ChangesNeeded, review.HumanCheckNeeded, review.NoBlockingFindings}, m.Verdict):
		return fmt.Errorf("its verdict %q is none", m.Verdict)
	}
	return nil
}

// fits reports where marker and data contradict each other.
func (m Meta) fits(d Document) error {
	switch {
	case m.Head != d.Change.Head, m.Run != d.Run, m.Number != d.Change.Number, m.Repository != d.Change.Repository:
		return errors.New("its marker and its data are about different reviews")
	case m.Verdict != d.Verdict, m.Complete != d.Complete, m.Partial != d.Partial:
		return errors.New("its marker and its data do not say the same")
	}
	return nil
}

// encode packs the findings for pull: JSON, gzip, base64.
func encode(d Document) (string, error) {
	raw, err := json.Marshal(d)
	if err != nil {
		return "", fmt.Errorf("packing the findings: %w", err)
	}
	var packed bytes.Buffer
	z, _ := gzip.NewWriterLevel(&packed, gzip.BestCompression) // the level is valid
	if _, err := z.Write(raw); err != nil {
		return "", fmt.Errorf("packing the findings: %w", err)
	}
	if err := z.Close(); err != nil {
		return "", fmt.Errorf("packing the findings: %w", err)
	}
	return dataMarker + base64.StdEncoding.EncodeToString(packed.Bytes()) + markerEnd, nil
}

// pack packs as many findings as fit into limit bytes.
func pack(d Document, limit int) (string, Document, error) {
	out, err := encode(d)
	if err != nil || len(out) <= limit {
		return out, d, err
	}
	all := d.Findings
	// What the findings leave no room for goes too, last of all.
	low, high := -1, len(all)
	for low < high {
		mid := (low + high + 1) / 2
		d.Findings, d.Partial = all[:mid], len(all)-mid
		if out, err = encode(d); err != nil {
			return "", d, err
		}
		if len(out) <= limit {
			low = mid
		} else {
			high = mid - 1
		}
	}
	d.Findings, d.Partial = all[:max(low, 0)], len(all)-max(low, 0)
	if low < 0 {
		d.Members, d.Gaps, d.Summary, d.Unread, d.Filtered = []Reviewer{}, []Gap{}, Summary{}, []File{}, []File{}
	}
	out, err = encode(d)
	return out, d, err
}

// decode finds the data, which stands alone on the last line, and unpacks it.
func decode(body string) (Document, error) {
	last := body[strings.LastIndexByte(body, '\n')+1:]
	packed, ok := strings.CutPrefix(last, dataMarker)
	if !ok {
		return Document{}, errors.New("it does not end with its data")
	}
	packed, ok = strings.CutSuffix(packed, markerEnd)
	if !ok {
		return Document{}, errors.New("its data is cut off")
	}
	raw, err := base64.StdEncoding.DecodeString(packed)
	if err != nil {
		return Document{}, fmt.Errorf("its data is no base64: %w", err)
	}
	z, err := gzip.NewReader(bytes.NewReader(raw))
	if err != nil {
		return Document{}, fmt.Errorf("its data does not unpack: %w", err)
	}
	plain, err := io.ReadAll(io.LimitReader(z, inflated+1))
	if err != nil {
		return Document{}, fmt.Errorf("its data does not unpack: %w", err)
	}
	if len(plain) > inflated {
		return Document{}, errors.New("its data is larger than any review")
	}
	return ParseJSON(plain)
}

// Public is the document as it may stand on a page that others read: accepted
// findings whole but for those withheld, of the others only that there are
// some. With something withheld the coordinator's summary is left out too: it
// was written over all findings.
func (d Document) Public(withheld map[string]bool, untriaged bool) Document {
	if !untriaged {
		d = d.Triaged()
	}
	var keep []Finding
	for _, f := range d.Findings {
		switch {
		case withheld[f.ID], f.Hidden != "" && f.Status == Undecided:
		case f.Status == Escalated:
			keep = append(keep, Finding{
				ID: f.ID, Sources: f.Sources, Status: f.Status, Severity: f.Severity, Reviewers: []string{}, Models: []string{},
				Decision: &review.Decision{Choice: review.Escalated, To: f.Decision.To, By: f.Decision.By, At: f.Decision.At},
			})
		default:
			keep = append(keep, f)
		}
	}
	d.Findings = nonNil(keep)
	if len(withheld) > 0 {
		d.Summary = Summary{Error: "left out: not all findings are on this page", MergedBy: d.Summary.MergedBy}
	}
	return d
}

// Key is the hidden name of a comment on a line, so that a repeat posts
// nothing twice and a finding taken back is found again.
type Key struct {
	Place   string // hash of path, side, line text and rule: the same in every run
	Text    string // hash of what is said
	Run     string // hash of the run
	Finding string // hash of the finding's id, which is unique in its run
}

var keyMark = regexp.MustCompile(`<!-- mrv:f=([0-9a-f]{16})\.([0-9a-f]{16})\.([0-9a-f]{16})\.([0-9a-f]{16}) -->\s*$`)

// KeyOf makes a finding's key.
func KeyOf(run string, f Finding) Key {
	at := cmp.Or(f.Place.Fingerprint, f.Place.Text)
	return Key{
		Place: sum16(f.Place.Path, string(f.Place.Side), at, f.Rule), Text: sum16(f.Title, f.Observation, f.Inference, f.Judgment, f.Fix, string(f.Severity)),
		Run: sum16(run), Finding: sum16(f.ID),
	}
}

// ParseKey reads the key off a comment on a line.
func ParseKey(body string) (Key, bool) {
	m := keyMark.FindStringSubmatch(body)
	if m == nil {
		return Key{}, false
	}
	return Key{Place: m[1], Text: m[2], Run: m[3], Finding: m[4]}, true
}

func (k Key) mark() string {
	return "<!-- mrv:f=" + strings.Join([]string{k.Place, k.Text, k.Run, k.Finding}, ".") + markerEnd
}

func sum16(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(sum[:8])
}

package fair

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// one is a claim for one unit.
func one(account string) Claim { return Claim{Units: 1, Account: account} }

// accounts returns how many owners, accounts and namespaces the semaphore remembers.
func (s *Semaphore) accounts() (n int) {
	var count func(*node)
	count = func(parent *node) {
		for _, child := range parent.children {
			n++
			count(child)
		}
	}
	for _, root := range s.roots {
		count(root)
	}
	return n
}

// fill takes units one by one until an account gets no more, and returns how many it got.
func fill(s *Semaphore, account string) (n int) {
	for {
		w, _ := s.enter(one(account))
		if w != nil {
			s.leave(w)
			return n
		}
		n++
	}
}

// TestSharesFollowFromAccounts fills a semaphore with one account after another: each gets half of
// what the previous accounts left, so that the next always finds free units.
func TestSharesFollowFromAccounts(t *testing.T) {
	s := NewSemaphore(Config{Limit: 16, MaxWaiting: 10})
	var got []int
	for _, account := range []string{"a", "b", "c", "d"} {
		got = append(got, fill(s, account))
	}
	if want := []int{8, 4, 2, 1}; !slices.Equal(got, want) {
		t.Errorf("four accounts got %v of 16 units, want %v", got, want)
	}
}

// TestNewAccountEntersAtOnce: while one account asks for everything for as long as it likes, an
// account within its share never waits.
func TestNewAccountEntersAtOnce(t *testing.T) {
	for limit := int64(2); limit <= 64; limit++ {
		s := NewSemaphore(Config{Limit: limit, MaxWaiting: 100})
		fill(s, "busy")
		for range 90 {
			s.enter(one("busy"))
		}
		for range 10 {
			if w, err := s.enter(one("quiet")); w != nil || err != nil {
				t.Fatalf("limit %d: an account without units had to wait beside one other account: %v", limit, err)
			}
			s.Release(one("quiet"))
		}
	}
}

// TestTurns: with more accounts than units, a waiting account is served after at most one request of
// each other account, however many requests the others have, and when they came.
func TestTurns(t *testing.T) {
	const limit, others = 2, 7
	for seed := range uint64(50) {
		random := rand.New(rand.NewPCG(seed, 1))
		s := NewSemaphore(Config{Limit: limit, MaxWaiting: 1000})
		type request struct {
			account string
			w       *waiter
		}
		var running []string
		var waiting []request
		ask := func(account string) {
			if w, err := s.enter(one(account)); w != nil {
				waiting = append(waiting, request{account, w})
			} else if err == nil {
				running = append(running, account)
			}
		}
		for range 20 + random.IntN(80) {
			ask(fmt.Sprint(random.IntN(others)))
		}
		ask("honest")
		at := len(waiting) - 1
		if at < 0 || waiting[at].account != "honest" {
			t.Fatalf("seed %d: the account did not have to wait", seed)
		}
		for late := range others { // accounts that come later do not pass it
			ask(fmt.Sprint("late", late))
		}
		served := map[string]int{}
		for done := false; !done; {
			i := random.IntN(len(running))
			s.Release(one(running[i]))
			running = slices.Delete(running, i, i+1)
			waiting = slices.DeleteFunc(waiting, func(r request) bool {
				select {
				case <-r.w.granted:
					running = append(running, r.account)
					served[r.account]++
					done = done || r.account == "honest"
					return true
				default:
					return false
				}
			})
			ask(fmt.Sprint(random.IntN(others))) // the others never stop asking
		}
		for account, n := range served {
			if n > 1 || strings.HasPrefix(account, "late") {
				t.Errorf("seed %d: account %s was served %d times while another account waited", seed, account, n)
			}
		}
	}
}

// TestNewAccountsDoNotStarveWaitingOnes: an account whose last request has ended keeps its turn
// while accounts that hold nothing come one after another.
func TestNewAccountsDoNotStarveWaitingOnes(t *testing.T) {
	s := NewSemaphore(Config{Limit: 1, MaxWaiting: 100})
	s.enter(one("first"))
	ended, _ := s.enter(one("honest"))
	waits, _ := s.enter(one("honest"))
	s.Release(one("first"))
	<-ended.granted
	holder := "honest"
	for i := range 3 {
		next := fmt.Sprint(i)
		s.enter(one(next))
		s.Release(one(holder))
		select {
		case <-waits.granted:
			return
		default:
			holder = next
		}
	}
	t.Error("three new accounts were served while the request of an older account waited")
}

// TestLargeClaimsAreNotStarved: beside accounts that take every unit that becomes free, an account that
// holds nothing gets several units once the requests that were at work have ended.
func TestLargeClaimsAreNotStarved(t *testing.T) {
	for _, owners := range []bool{false, true} {
		for others := 1; others <= 12; others++ {
			s := NewSemaphore(Config{Limit: 16, MaxWaiting: 1000, Owners: owners})
			claim := func(i int) Claim { return owned(fmt.Sprint(i%others), fmt.Sprint(i%others)) }
			type request struct {
				Claim
				w *waiter
			}
			var running []Claim // in order of their start; all take the same time
			var waiting []request
			asked := 0
			ask := func() { // the others always have requests that wait
				for ; len(waiting) < 40; asked++ {
					if w, err := s.enter(claim(asked)); w != nil {
						waiting = append(waiting, request{claim(asked), w})
					} else if err == nil {
						running = append(running, claim(asked))
					}
				}
			}
			ask()
			large := Claim{Units: 4, Owner: "large", Account: "large", Large: true}
			w, err := s.enter(large)
			if err != nil {
				t.Fatal(err)
			}
			ended, ends := 0, 2*16 // each unit is used twice
			for granted := w == nil; !granted && ended <= ends; ended++ {
				s.Release(running[0])
				running = running[1:]
				waiting = slices.DeleteFunc(waiting, func(r request) bool {
					select {
					case <-r.w.granted:
						running = append(running, r.Claim)
						return true
					default:
						return false
					}
				})
				select {
				case <-w.granted:
					granted = true
				default:
				}
				ask()
			}
			if ended > ends {
				t.Errorf("owners %v: beside %d other accounts, 4 of 16 units were not granted while %d requests ended", owners, others, ended)
			}
		}
	}
}

// TestQuickAccountPassesLargeClaim: an account that holds nothing enters at once while a larger claim
// waits for units.
func TestQuickAccountPassesLargeClaim(t *testing.T) {
	s := NewSemaphore(Config{Limit: 16, MaxWaiting: 100})
	for i := range 4 {
		fill(s, fmt.Sprint("slow", i))
	}
	if w, _ := s.enter(Claim{Units: 4, Account: "large"}); w == nil {
		t.Fatal("the large claim did not have to wait")
	}
	for range 10 {
		if w, err := s.enter(one("quick")); w != nil || err != nil {
			t.Fatalf("an account without units had to wait: %v", err)
		}
		s.Release(one("quick"))
	}
}

// granted reports whether a claim entered at once, or its waiter has the units by now.
func granted(w *waiter) bool {
	if w == nil {
		return true
	}
	select {
	case <-w.granted:
		return true
	default:
		return false
	}
}

// TestWhoYields: a claim leaves free units to an account that waits for more of them only if that one
// holds nothing, came first, and lacks units that are in use.
func TestWhoYields(t *testing.T) {
	t.Run("an account without units does not, though it waits", func(t *testing.T) {
		s := NewSemaphore(Config{Limit: 4, MaxWaiting: 100})
		for _, account := range []string{"a", "a", "b", "c"} {
			s.enter(one(account))
		}
		large, _ := s.enter(Claim{Units: 2, Account: "large"})
		quick, _ := s.enter(one("quick"))
		s.Release(one("a"))
		if granted(large) || !granted(quick) {
			t.Errorf("with one unit free, the claim for two was granted: %v; the claim for one behind it: %v", granted(large), granted(quick))
		}
	})
	t.Run("not to an account that holds units", func(t *testing.T) {
		s := NewSemaphore(Config{Limit: 8, MaxWaiting: 100})
		s.enter(Claim{Units: 4, Account: "slow"})
		s.enter(one("holder"))
		if w, _ := s.enter(Claim{Units: 3, Account: "holder"}); granted(w) {
			t.Fatal("the holder did not have to wait")
		}
		s.enter(one("other"))
		if w, _ := s.enter(one("other")); !granted(w) {
			t.Error("an account had to leave a free unit to one that holds some")
		}
	})
	t.Run("not to one that waits for the quarter of small claims", func(t *testing.T) {
		s := NewSemaphore(Config{Limit: 16, MaxWaiting: 100})
		s.enter(Claim{Units: 12, Account: "a", Large: true})
		if w, _ := s.enter(Claim{Units: 2, Account: "b", Large: true}); granted(w) {
			t.Fatal("large claims took more than three quarters")
		}
		s.enter(one("small"))
		if w, _ := s.enter(one("small")); !granted(w) {
			t.Error("a small claim had to leave its quarter to a large one")
		}
	})
}

// TestLargeRequestsLeaveAQuarter: large requests of many accounts together do not take the units of
// small ones.
func TestLargeRequestsLeaveAQuarter(t *testing.T) {
	s := NewSemaphore(Config{Limit: 16, MaxWaiting: 100})
	entered := 0
	for i := range 40 {
		if w, _ := s.enter(Claim{Units: 1, Account: fmt.Sprint(i), Large: true}); w == nil {
			entered++
		}
	}
	if entered != 12 {
		t.Errorf("%d large requests entered, want 12 of 16", entered)
	}
	if w, _ := s.enter(one("0")); w != nil {
		t.Error("a small request of an account with a large one had to wait")
	}
	alone := NewSemaphore(Config{Limit: 10})
	if err := alone.Acquire(t.Context(), Claim{Units: 10, Large: true}); err != nil {
		t.Errorf("a large request as large as the limit, alone: %v", err)
	}
}

// TestQueueIsShared: an account that fills the queue leaves room in it.
func TestQueueIsShared(t *testing.T) {
	s := NewSemaphore(Config{Limit: 1, MaxWaiting: 20})
	fill(s, "busy")
	waiting := 0
	for range 100 {
		if w, err := s.enter(one("busy")); w != nil {
			waiting++
		} else if err != ErrFull {
			t.Fatal(err)
		}
	}
	if waiting != 10 {
		t.Errorf("one account fills %d of 20 places in the queue, want 10", waiting)
	}
	for _, other := range []string{"b", "c", "d"} {
		if w, err := s.enter(one(other)); w == nil {
			t.Errorf("account %s found no place in the queue: %v", other, err)
		}
	}
}

func TestOverShareNamesTheAccount(t *testing.T) {
	var over []string
	s := NewSemaphore(Config{Limit: 4, MaxWaiting: 10, OverShare: func(c Claim) { over = append(over, c.Account) }})
	fill(s, "busy") // takes 2; the third is over the share
	s.enter(one("other"))
	s.enter(one("third"))
	s.enter(one("fourth")) // waits because no unit is free
	if want := []string{"busy"}; !slices.Equal(over, want) {
		t.Errorf("accounts over their share: %v, want %v", over, want)
	}
	over = nil
	s = NewSemaphore(Config{Limit: 4, MaxWaiting: 10, OverShare: func(c Claim) { over = append(over, c.Account) }})
	fill(s, "busy")
	over = nil
	s.enter(Claim{Units: 2, Account: "busy"}) // as many as are free
	if want := []string{"busy"}; !slices.Equal(over, want) {
		t.Errorf("accounts over their share, with a claim for all free units: %v, want %v", over, want)
	}
}

func TestAcquireErrors(t *testing.T) {
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	for _, test := range []struct {
		name   string
		config Config
		ctx    context.Context
		units  int64
		want   error
	}{
		{"more than the limit", Config{Limit: 10, MaxWaiting: 5, Wait: time.Hour}, context.Background(), 11, ErrFull},
		{"no queue", Config{Limit: 10, Wait: time.Hour}, context.Background(), 6, ErrFull},
		{"negative queue", Config{Limit: 10, MaxWaiting: -1, Wait: time.Hour}, context.Background(), 6, ErrFull},
		{"nobody releases", Config{Limit: 10, MaxWaiting: 5, Wait: time.Hour}, context.Background(), 6, ErrWait},
		{"the caller went away", Config{Limit: 10, MaxWaiting: 5, Wait: time.Hour}, cancelled, 6, context.Canceled},
	} {
		before := func(s *Semaphore, ctx context.Context, c Claim) error {
			return s.AcquireBefore(ctx, func() <-chan time.Time { return time.After(test.config.Wait) }, c)
		}
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := NewSemaphore(test.config)
				if err := s.Acquire(context.Background(), Claim{Units: 5, Account: "a"}); err != nil {
					t.Fatal(err)
				}
				c := Claim{Units: test.units, Account: "b"}
				if err := s.Acquire(test.ctx, c); !errors.Is(err, test.want) {
					t.Fatalf("got %v, want %v", err, test.want)
				}
				if err := before(s, test.ctx, c); !errors.Is(err, test.want) {
					t.Fatalf("with the caller's clock, got %v, want %v", err, test.want)
				}
				s.Release(Claim{Units: 5, Account: "a"})
				if used, waiting := s.Load(); used != 0 || waiting != 0 || s.accounts() != 0 {
					t.Fatalf("%d used, %d waiting and %d accounts at the end, want none", used, waiting, s.accounts())
				}
			})
		})
	}
}

// TestRequestsOfAnAccountKeepTheirOrder: small requests do not starve a large one of their account,
// and a waiter that gives up does not delay those behind it.
func TestRequestsOfAnAccountKeepTheirOrder(t *testing.T) {
	s := NewSemaphore(Config{Limit: 10, MaxWaiting: 5})
	first, _, _ := s.take(Claim{Units: 4})
	large, _, _ := s.take(Claim{Units: 5})
	small, _, _ := s.take(Claim{Units: 1})
	if first != nil || large == nil || small == nil {
		t.Fatal("a request overtook an earlier one of its account")
	}
	s.leave(large)
	select {
	case <-small.granted:
	default:
		t.Error("the request behind one that gave up was not let in")
	}
}

// TestTryAcquireOvertakesWaiters: an answer that is already in memory must not be discarded because
// a larger review waits for room.
func TestTryAcquireOvertakesWaiters(t *testing.T) {
	s := NewSemaphore(Config{Limit: 10, MaxWaiting: 5})
	s.take(Claim{Units: 5})
	s.take(Claim{Units: 8})
	if s.TryAcquire(Claim{Units: 6, Account: "other"}, 0) {
		t.Error("6 of 5 free units were acquired")
	}
	if s.TryAcquire(Claim{Units: 1}, 0) || s.accounts() != 1 {
		t.Errorf("an account got more than its share, or %d accounts are remembered", s.accounts())
	}
	if !s.TryAcquire(Claim{Units: 5, Account: "other"}, 0) {
		t.Error("5 free units were not acquired while a caller waits for 8")
	}
}

// TestLargeRequestsShareTheirPart: two accounts, or owners of many accounts, with large requests that
// never end leave units to the large request of a third.
func TestLargeRequestsShareTheirPart(t *testing.T) {
	for _, owners := range []bool{false, true} {
		s := NewSemaphore(Config{Limit: 64, MaxWaiting: 100, Owners: owners})
		large := func(owner string, kind int) Claim {
			return Claim{Units: 1, Account: fmt.Sprint(owner, kind), Owner: owner, Large: true}
		}
		kinds := map[bool]int{false: 1, true: 10}[owners]
		var held []int
		for _, owner := range []string{"a", "b"} {
			before, _ := s.Load()
			for kind := range kinds {
				w, err := s.enter(large(owner, kind))
				for w == nil && err == nil {
					w, err = s.enter(large(owner, kind))
				}
				s.leave(w)
			}
			after, _ := s.Load()
			held = append(held, int(after-before))
		}
		if want := []int{24, 12}; !slices.Equal(held, want) {
			t.Errorf("owners %v: two hold %v of the 48 units of large requests, want %v", owners, held, want)
		}
		if w, err := s.enter(large("c", 0)); w != nil || err != nil {
			t.Errorf("owners %v: the large request of a third had to wait: %v", owners, err)
		}
	}
}

// TestHammer has callers of several accounts ask at once: the limit holds, and nothing is left.
func TestHammer(t *testing.T) {
	const limit = 7
	s := NewSemaphore(Config{Limit: limit, MaxWaiting: 50, Wait: 20 * time.Millisecond})
	var inside, most, entered atomic.Int64
	var all sync.WaitGroup
	for caller := range 16 {
		all.Go(func() {
			c := Claim{Units: int64(caller%3 + 1), Account: fmt.Sprint(caller % 5), Large: caller%4 == 0}
			for range 300 {
				ctx, cancel := context.WithTimeout(context.Background(), time.Duration(caller)*100*time.Microsecond)
				if s.Acquire(ctx, c) == nil {
					now := inside.Add(c.Units)
					for m := most.Load(); now > m && !most.CompareAndSwap(m, now); m = most.Load() {
					}
					entered.Add(1)
					inside.Add(-c.Units)
					s.Release(c)
				}
				cancel()
			}
		})
	}
	all.Wait()
	if most.Load() > limit {
		t.Errorf("%d units were held at once, limit %d", most.Load(), limit)
	}
	if entered.Load() == 0 {
		t.Error("nobody entered")
	}
	if used, waiting := s.Load(); used != 0 || waiting != 0 || s.accounts() != 0 || s.large != 0 {
		t.Errorf("%d used, %d large, %d waiting and %d accounts at the end, want none", used, s.large, waiting, s.accounts())
	}
}

// owned is a claim for one unit, for an account of an owner.
func owned(owner, account string) Claim { return Claim{Units: 1, Owner: owner, Account: account} }

// TestKindsGiveNoLargerShare: an owner that invents accounts holds as much as an owner with one, and
// the next owner always finds free units.
func TestKindsGiveNoLargerShare(t *testing.T) {
	s := NewSemaphore(Config{Limit: 16, MaxWaiting: 20, Owners: true})
	entered, waiting := 0, 0
	for i := range 100 {
		switch w, err := s.enter(owned("greedy", fmt.Sprint(i))); {
		case w != nil:
			waiting++
		case err == nil:
			entered++
		}
	}
	if entered != 8 || waiting != 10 {
		t.Errorf("an owner with 100 accounts holds %d of 16 units and %d of 20 places in the queue, want 8 and 10", entered, waiting)
	}
	for _, owner := range []string{"a", "b", "c"} {
		if w, err := s.enter(owned(owner, "0")); w != nil || err != nil {
			t.Errorf("owner %s, which holds nothing, had to wait: %v", owner, err)
		}
	}
}

// TestTurnsOfOwners: an owner that waits is served after at most one request of each other owner,
// although each of these has many accounts and never stops asking.
func TestTurnsOfOwners(t *testing.T) {
	const limit, others = 2, 6
	for seed := range uint64(50) {
		random := rand.New(rand.NewPCG(seed, 2))
		s := NewSemaphore(Config{Limit: limit, MaxWaiting: 1000, Owners: true})
		type request struct {
			Claim
			w *waiter
		}
		var running []Claim
		var waiting []request
		ask := func(c Claim) {
			if w, err := s.enter(c); w != nil {
				waiting = append(waiting, request{c, w})
			} else if err == nil {
				running = append(running, c)
			}
		}
		accounts := 0
		another := func() Claim { // an account that nobody had before
			accounts++
			return owned(fmt.Sprint(random.IntN(others)), fmt.Sprint(accounts))
		}
		for range 20 + random.IntN(80) {
			ask(another())
		}
		ask(owned("honest", "kind"))
		if len(waiting) == 0 || waiting[len(waiting)-1].Owner != "honest" {
			t.Fatalf("seed %d: the owner did not have to wait", seed)
		}
		for late := range others { // owners that come later do not pass it
			ask(owned(fmt.Sprint("late", late), "kind"))
		}
		served := map[string]int{}
		for range 1000 {
			if served["honest"] > 0 {
				break
			}
			i := random.IntN(len(running))
			s.Release(running[i])
			running = slices.Delete(running, i, i+1)
			waiting = slices.DeleteFunc(waiting, func(r request) bool {
				select {
				case <-r.w.granted:
					running = append(running, r.Claim)
					served[r.Owner]++
					return true
				default:
					return false
				}
			})
			ask(another())
		}
		for owner, n := range served {
			if n > 1 || strings.HasPrefix(owner, "late") {
				t.Errorf("seed %d: owner %s was served %d times while another owner waited", seed, owner, n)
			}
		}
		if served["honest"] == 0 {
			t.Errorf("seed %d: the owner was never served", seed)
		}
	}
}

// TestOwnersAreForgotten: an owner that holds nothing and does not wait takes no memory.
func TestOwnersAreForgotten(t *testing.T) {
	s := NewSemaphore(Config{Limit: 2, MaxWaiting: 5, Owners: true})
	s.enter(owned("a", "1"))
	w, _ := s.enter(owned("a", "2"))
	if w == nil {
		t.Fatal("an owner alone got more than half")
	}
	s.leave(w)
	s.Release(owned("a", "1"))
	if s.accounts() != 0 || s.waiting != 0 {
		t.Errorf("%d owners and accounts, and %d waiters at the end", s.accounts(), s.waiting)
	}
}

// TestKindsOfOneOwner: within an owner, a kind that takes all it can leaves room for the others, of
// slots and of the queue.
func TestKindsOfOneOwner(t *testing.T) {
	s := NewSemaphore(Config{Limit: 16, MaxWaiting: 20, Owners: true})
	entered, waiting := 0, 0
	for range 100 {
		switch w, err := s.enter(owned("a", "slow")); {
		case w != nil:
			waiting++
		case err == nil:
			entered++
		}
	}
	if entered != 6 || waiting != 7 {
		t.Errorf("a kind holds %d of 16 units and %d of 20 places in the queue, want 6 and 7", entered, waiting)
	}
	for _, kind := range []string{"b", "c"} {
		if w, err := s.enter(owned("a", kind)); w != nil || err != nil {
			t.Errorf("kind %s of the same owner had to wait: %v", kind, err)
		}
	}
	if w, err := s.enter(owned("b", "0")); w != nil || err != nil {
		t.Errorf("another owner had to wait: %v", err)
	}
}

// TestWaiterThatHasItsUnits: a waiter whose time ends after it was granted its units keeps them, and
// one that gives up leaves nothing behind.
func TestWaiterThatHasItsUnits(t *testing.T) {
	s := NewSemaphore(Config{Limit: 1, MaxWaiting: 10, Wait: time.Minute})
	if !s.TryAcquire(one("a"), 0) {
		t.Fatal("the first claim has to wait")
	}
	granted, err := s.enter(one("b"))
	if granted == nil {
		t.Fatal(err)
	}
	late, err := s.enter(one("c"))
	if late == nil {
		t.Fatal(err)
	}
	s.Release(one("a"))
	if s.leave(granted) {
		t.Error("a waiter gave up the units that it was granted")
	}
	if !s.leave(late) || s.leave(late) {
		t.Error("a waiter without units cannot give up, or twice")
	}
	s.Release(one("b"))
	for range 2 { // which take the lock and return it
		if used, waiting := s.Load(); used != 0 || waiting != 0 || s.accounts() != 0 {
			t.Errorf("in the end: %d used, %d waiting, %d accounts", used, waiting, s.accounts())
		}
	}
}

// TestHeld: the units of an owner are those of all its accounts, and without owners those of the account.
func TestHeld(t *testing.T) {
	for owners, want := range map[bool]int64{false: 1, true: 3} {
		s := NewSemaphore(Config{Limit: 16, MaxWaiting: 10, Owners: owners})
		for _, account := range []string{"a", "b", "c"} {
			s.enter(owned("team", account))
		}
		s.enter(owned("other", "d"))
		if got := s.Held(owned("team", "a")); got != want {
			t.Errorf("with owners %v: %d units, want %d", owners, got, want)
		}
		if got := s.Held(owned("nobody", "n")); got != 0 {
			t.Errorf("with owners %v: %d units of somebody who holds none", owners, got)
		}
	}
}

package child

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	goruntime "runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// TestMain does in a child the work that its argument names.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 {
		if work := works()[os.Args[1]]; work != nil {
			os.Exit(work())
		}
	}
	os.Exit(m.Run())
}

func works() map[string]func() int {
	return map[string]func() int{
		"echo": func() int {
			Confine(time.Minute)
			_, _ = io.Copy(os.Stdout, os.Stdin)
			return 0
		},
		"fail": func() int { return 3 },
		"sleep": func() int {
			time.Sleep(time.Hour)
			return 0
		},
		"stop": func() int {
			_ = syscall.Kill(os.Getpid(), syscall.SIGSTOP)
			return 0
		},
		"spin": func() int {
			n := 1
			for n > 0 {
				n = n&0xff | 1
			}
			return n
		},
		"grow": func() int {
			var all [][]byte
			for {
				block := make([]byte, 1<<20)
				for i := range block {
					block[i] = 1
				}
				all = append(all, block)
				time.Sleep(time.Millisecond)
				if len(all) > 1<<10 {
					return 0
				}
			}
		},
		"write": func() int {
			for w := bufio.NewWriter(os.Stdout); ; {
				if _, err := w.WriteString("more\n"); err != nil {
					return 4
				}
			}
		},
		"confined": func() int {
			Confine(time.Minute)
			if err := os.WriteFile(os.Getenv("TMPDIR")+"/file", []byte("x"), 0o600); err == nil {
				return 5
			}
			var cpu, core syscall.Rlimit
			_ = syscall.Getrlimit(syscall.RLIMIT_CPU, &cpu)
			_ = syscall.Getrlimit(syscall.RLIMIT_CORE, &core)
			adj, _ := os.ReadFile("/proc/self/oom_score_adj")
			fmt.Printf("cpu %d core %d oom %s peak %v", cpu.Max, core.Max, strings.TrimSpace(string(adj)), Peak() > 1<<20)
			return 0
		},
		"nice": func() int {
			var threads sync.WaitGroup
			hold := func(n int) {
				for range n {
					threads.Add(1)
					go func() {
						goruntime.LockOSThread()
						threads.Done()
						select {}
					}()
				}
				threads.Wait()
			}
			hold(8)
			Confine(time.Minute)
			hold(8)
			all, _ := os.ReadDir("/proc/self/task")
			for _, thread := range all {
				id, _ := strconv.Atoi(thread.Name())
				if p, err := syscall.Getpriority(syscall.PRIO_PROCESS, id); err != nil || 20-p < niceness {
					fmt.Printf("thread %s of %d has niceness %d; ", thread.Name(), len(all), 20-p)
				}
			}
			fmt.Print(len(all) > 16)
			return 0
		},
		"file": func() int {
			ConfineWriter(time.Minute, 1<<20)
			f := os.NewFile(3, "file")
			if _, err := f.Write(make([]byte, 1<<20)); err != nil {
				return 6
			}
			ConfineFiles(0)
			if _, err := f.Write([]byte("more")); err == nil {
				return 7
			}
			time.Sleep(100 * time.Millisecond) // for the parent to look
			return 0
		},
		"stages": func() int {
			fmt.Println("first")
			fmt.Print("sec")
			fmt.Println("ond")
			time.Sleep(time.Hour) // longer than any Time
			return 0
		},
		"environment": func() int {
			fmt.Print(strings.Join(os.Environ(), " "))
			return 0
		},
	}
}

func task(argument string) *Task {
	return &Task{Program: Self(), Argument: argument, Memory: 1 << 30, Time: time.Minute, Output: 1 << 10}
}

func TestRunReturnsTheOutput(t *testing.T) {
	for _, tc := range []struct{ argument, input, want string }{
		{"echo", "some text", "some text"},
		{"echo", "", ""},
		{"environment", "", "GOMEMLIMIT=805306368 GOMAXPROCS=2"},
		{"nice", "", "true"},
		{"confined", "", "cpu 121 core 0 oom 1000 peak true"},
	} {
		one := task(tc.argument)
		one.Input = strings.NewReader(tc.input)
		got, err := one.Run(context.Background())
		if err != nil || string(got) != tc.want {
			t.Errorf("%s: %q, %v, want %q", tc.argument, got, err, tc.want)
		}
	}
}

func TestRunEndsTheChildAtItsLimits(t *testing.T) {
	for _, tc := range []struct {
		argument string
		change   func(*Task)
		want     error
	}{
		{"grow", func(t *Task) { t.Memory = 64 << 20 }, ErrMemory},
		{"sleep", func(t *Task) { t.Time = 50 * time.Millisecond }, ErrTime},
		{"stop", func(t *Task) { t.Time = 500 * time.Millisecond }, ErrTime},
		{"write", func(*Task) {}, ErrOutput},
		{"echo", func(t *Task) { t.Input, t.Output = strings.NewReader("four"), 3 }, ErrOutput},
		{"echo", func(t *Task) { t.Program = "/does/not/exist" }, ErrStart},
	} {
		one := task(tc.argument)
		tc.change(one)
		if got, err := one.Run(context.Background()); !errors.Is(err, tc.want) || got != nil {
			t.Errorf("%s: %q, %v, want %v", tc.argument, got, err, tc.want)
		}
	}
}

func TestRunReportsAFailedChild(t *testing.T) {
	_, err := task("fail").Run(context.Background())
	if err == nil || err.Error() != "exit status 3" {
		t.Errorf("error %v", err)
	}
}

func TestRunEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(20*time.Millisecond, cancel)
	if _, err := task("sleep").Run(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// TestRunHandsOverAFile has the child write a file of the parent's, which counts as memory.
func TestRunHandsOverAFile(t *testing.T) {
	for _, tc := range []struct {
		memory int
		want   error
	}{
		{1 << 30, nil},
		{1 << 20, ErrMemory},
	} {
		file, err := os.Create(filepath.Join(t.TempDir(), "file"))
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		one := task("file")
		one.File, one.Memory = file, tc.memory
		_, err = one.Run(context.Background())
		if !errors.Is(err, tc.want) {
			t.Errorf("%d bytes of memory: %v, want %v", tc.memory, err, tc.want)
		}
		if info, err := file.Stat(); tc.want == nil && (err != nil || info.Size() != 1<<20) {
			t.Errorf("the file has %v, %v", info, err)
		}
	}
	one := task("sleep")
	file, err := os.Create(filepath.Join(t.TempDir(), "file"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if err := file.Truncate(2 << 30); err != nil { // no memory of the child's own
		t.Fatal(err)
	}
	one.File = file
	if _, err := one.Run(context.Background()); !errors.Is(err, ErrMemory) {
		t.Errorf("a file that is larger than the memory: %v", err)
	}
}

// TestRunGivesEachStageItsTime ends a child by the time that its second line leaves it.
func TestRunGivesEachStageItsTime(t *testing.T) {
	one := task("stages")
	one.Time = time.Hour
	var lines []string
	one.Line = func(line []byte) time.Duration {
		lines = append(lines, string(line))
		if len(lines) < 2 {
			return 0
		}
		return 50 * time.Millisecond
	}
	if _, err := one.Run(context.Background()); !errors.Is(err, ErrTime) {
		t.Errorf("error %v", err)
	}
	if strings.Join(lines, " ") != "first second" {
		t.Errorf("lines %q", lines)
	}
	if one.Used <= 0 {
		t.Errorf("the child used %v of processor time", one.Used)
	}
}

// TestRunBoundsProcessorTime: a child that works ends at its limit of processor time, and one that
// waits does not.
func TestRunBoundsProcessorTime(t *testing.T) {
	spin := task("spin")
	spin.Processor = 50 * time.Millisecond
	if _, err := spin.Run(context.Background()); !errors.Is(err, ErrUsed) || spin.Used < spin.Processor {
		t.Errorf("a child that spins: %v after %v", err, spin.Used)
	}
	sleep := task("sleep")
	sleep.Processor, sleep.Time = time.Minute, 100*time.Millisecond
	if _, err := sleep.Run(context.Background()); !errors.Is(err, ErrTime) {
		t.Errorf("a child that sleeps: %v", err)
	}
	for _, text := range []string{"", "1 (a) b) S 1 2 3 4 5 6 7 8 9 10", "none"} {
		path := t.TempDir() + "/stat"
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if used := usedBy(path); used != 0 {
			t.Errorf("%q: used %v", text, used)
		}
	}
	path := t.TempDir() + "/stat"
	if err := os.WriteFile(path, []byte("1 (a) b) S 1 1 1 0 -1 4 5 6 7 8 120 30 0 0 20 0"), 0o600); err != nil {
		t.Fatal(err)
	}
	if used := usedBy(path); used != 1500*time.Millisecond {
		t.Errorf("used %v, want 1.5s", used)
	}
}

// TestChildDiesWithItsParent: the kernel ends a child whose parent was killed.
func TestChildDiesWithItsParent(t *testing.T) {
	cmd := exec.Command("/proc/self/exe", "fail")
	if _, err := runBounded(cmd, 1<<30, 0, func() int { return 0 }); err == nil {
		t.Error("the child did not run")
	}
	if a := cmd.SysProcAttr; a == nil || a.Pdeathsig != syscall.SIGKILL {
		t.Errorf("the child was started with %+v", a)
	}
}

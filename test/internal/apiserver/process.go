package apiserver

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"k8s.io/client-go/rest"
)

// processLog is the file in a server's directory that a server's process logs to.
const processLog = "apiserver.log"

// runProcess starts a program of test/kubernetes, which ends with its standard input.
func (s *Server) runProcess(binary string, flags []string) error {
	log, err := os.Create(filepath.Join(s.dir, processLog))
	if err != nil {
		return err
	}
	defer log.Close() // the process has its own
	process := exec.Command(binary, flags...)
	process.Stderr = log
	hold, err := process.StdinPipe()
	if err != nil {
		return err
	}
	answer, err := process.StdoutPipe()
	if err != nil {
		return err
	}
	if err := process.Start(); err != nil {
		return err
	}
	s.stop = func() {
		_ = hold.Close()
		_ = process.Wait()
	}
	var connection struct {
		Version, Host, Name, Token string
		CA                         []byte
	}
	if err := json.NewDecoder(answer).Decode(&connection); err != nil {
		text, _ := os.ReadFile(log.Name())
		return fmt.Errorf("%s: %w\n%s", binary, err, text[max(0, len(text)-4<<10):])
	}
	s.Version = connection.Version
	s.REST = &rest.Config{
		Host: connection.Host, BearerToken: connection.Token,
		TLSClientConfig: rest.TLSClientConfig{ServerName: connection.Name, CAData: connection.CA},
	}
	return nil
}

// Logs are the files that the server's parts log to, until Stop.
func (s *Server) Logs() []string {
	logs := []string{filepath.Join(s.dir, etcdLog)}
	if s.Version != "" {
		logs = append(logs, filepath.Join(s.dir, processLog))
	}
	return logs
}

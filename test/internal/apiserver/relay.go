package apiserver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
)

// watchMethod is the call whose answers tell an API server what was written to etcd.
const watchMethod = "/etcdserverpb.Watch/Watch"

// relay passes the calls of an API server on to etcd, as they are. It can hold the answers of watches.
type relay struct {
	endpoint string
	etcd     *grpc.ClientConn
	server   *grpc.Server

	mu   sync.Mutex
	held chan struct{} // closed by release; nil: nothing is held
}

func startRelay(etcd *grpc.ClientConn) (*relay, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	r := &relay{endpoint: "http://" + listener.Addr().String(), etcd: etcd}
	r.server = grpc.NewServer(grpc.ForceServerCodec(bytesCodec{}), grpc.UnknownServiceHandler(r.call),
		grpc.MaxRecvMsgSize(1<<30), grpc.MaxSendMsgSize(1<<30))
	go func() { _ = r.server.Serve(listener) }() // ends with stop
	return r, nil
}

func (r *relay) stop() { r.server.Stop() }

func (r *relay) hold() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.held == nil {
		r.held = make(chan struct{})
	}
}

func (r *relay) release() {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.held != nil {
		close(r.held)
		r.held = nil
	}
}

// await waits while answers are held.
func (r *relay) await(ctx context.Context) error {
	r.mu.Lock()
	held := r.held
	r.mu.Unlock()
	if held == nil {
		return nil
	}
	select {
	case <-held:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// call is one call of any method, with any number of messages both ways.
func (r *relay) call(_ any, client grpc.ServerStream) error {
	method, ok := grpc.MethodFromServerStream(client)
	if !ok {
		return status.Error(codes.Internal, "a call without a method")
	}
	ctx, cancel := context.WithCancel(client.Context())
	defer cancel()
	if md, ok := metadata.FromIncomingContext(ctx); ok {
		ctx = metadata.NewOutgoingContext(ctx, md)
	}
	etcd, err := r.etcd.NewStream(ctx, &grpc.StreamDesc{ServerStreams: true, ClientStreams: true}, method,
		grpc.ForceCodec(bytesCodec{}), grpc.MaxCallRecvMsgSize(1<<30), grpc.MaxCallSendMsgSize(1<<30))
	if err != nil {
		return err
	}
	go func() { // ends with the client's messages, or with the call
		for {
			var message []byte
			switch err := client.RecvMsg(&message); {
			case errors.Is(err, io.EOF):
				_ = etcd.CloseSend()
				return
			case err != nil:
				cancel()
				return
			}
			if etcd.SendMsg(&message) != nil {
				return // RecvMsg below has the error
			}
		}
	}()
	for {
		var message []byte
		if err := etcd.RecvMsg(&message); errors.Is(err, io.EOF) {
			client.SetTrailer(etcd.Trailer())
			return nil
		} else if err != nil {
			return err
		}
		if method == watchMethod {
			if err := r.await(ctx); err != nil {
				return err
			}
		}
		if err := client.SendMsg(&message); err != nil {
			return err
		}
	}
}

// bytesCodec leaves messages as they are.
type bytesCodec struct{}

var _ encoding.Codec = bytesCodec{}

func (bytesCodec) Marshal(v any) ([]byte, error) {
	message, ok := v.(*[]byte)
	if !ok {
		return nil, fmt.Errorf("a message of type %T", v)
	}
	return *message, nil
}

func (bytesCodec) Unmarshal(data []byte, v any) error {
	message, ok := v.(*[]byte)
	if !ok {
		return fmt.Errorf("a message of type %T", v)
	}
	*message = append([]byte(nil), data...)
	return nil
}

func (bytesCodec) Name() string { return "proto" } // etcd's clients and servers expect it

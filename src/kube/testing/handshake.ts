import { connect } from 'node:tls';

/** What a caller who trusts these authorities sees: the serial number of the server's certificate, or why it refused. */
export function handshake(port: number, authorities: string, servername = 'localhost'): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', servername, ca: authorities }, () => {
      resolve(socket.getPeerCertificate().serialNumber);
      socket.destroy();
    });
    socket.on('error', (error) =>
      resolve('code' in error ? `refused: ${String(error.code)}` : `refused: ${error.message}`),
    );
  });
}

/** What can go wrong with the control plane for tests, for programs; the message is for people and says what to do next. */
export type ControlPlaneErrorCode =
  | 'GoMissing'
  | 'GoTooOld'
  | 'BuildFailed'
  | 'PartDied'
  | 'NotReady'
  | 'CommandFailed'
  | 'AlreadyUp'
  | 'KubeconfigFolderMissing'
  | 'RecordUnreadable'
  | 'InvalidOption';

/** An expected failure: whoever prints it shows the message alone, without a stack. */
export class ControlPlaneError extends Error {
  readonly code: ControlPlaneErrorCode;

  constructor(code: ControlPlaneErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ControlPlaneError';
    this.code = code;
  }
}

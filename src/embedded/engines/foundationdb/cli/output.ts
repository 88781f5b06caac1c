/** What a command prints, kept apart as the two streams. */
export class Output {
  stdout = '';
  stderr = '';

  print(line: string): void {
    this.stdout += `${line}\n`;
  }

  complain(line: string): void {
    this.stderr += `${line}\n`;
  }
}

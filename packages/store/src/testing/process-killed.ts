/** What every call of a killed process's host fails with. In truth nobody would be there to see it. */
export class ProcessKilled extends Error {
  override readonly name = "ProcessKilled";

  constructor(pid: number) {
    super(`the simulated process ${pid} was killed`);
  }
}

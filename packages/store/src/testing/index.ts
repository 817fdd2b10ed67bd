/** The door for those who test a backend, or a program on a store. */

export type { FileSystem, Host, OpenFile } from "../host/host.ts";
export { nodeHost } from "../host/node-host.ts";
export type { CapabilityName, CaseContext, ConformanceCase } from "./conformance-case.ts";
export { CONFORMANCE, type ConformanceGroup } from "./conformance-list.ts";
export type { CrashableHost } from "./crashable-host.ts";
export { describeBackend, type BackendPlace, type Harness } from "./describe-backend.ts";
export { failingHost, type FailingHost } from "./failing-host.ts";
export { failForEver, failOnce, fillDisk, type Fault, type FaultPlan } from "./fault-plan.ts";
export type { FileCall, FileOperation } from "./file-operation.ts";
export { ProcessKilled } from "./process-killed.ts";
export { compareByRandomOperations, type RandomOperations } from "./random-operations.ts";
export { Scheduler, SchedulerStuck, type Choices, type ScheduledEvent, type Temper } from "./scheduler.ts";
export type { ScheduledProcess } from "./scheduled-process.ts";
export { SeededRandom } from "./seeded-random.ts";
export type { MachineOperation } from "./simulated-kernel.ts";
export {
  SimulatedMachine,
  type Capture,
  type PowerLossOptions,
  type PowerLossStates,
} from "./simulated-machine.ts";

/** `@longhand/agent/kernel`: the actors alone. docs/kernel.md */

export { createKernel, type KernelOptions } from "./kernel/create-kernel.ts";
export type {
  Actor,
  ActorFactory,
  ActorRef,
  ActorSelf,
  ActorState,
  Answer,
  Kernel,
  KernelEvent,
  Service,
  SpawnOptions,
  Supervision,
} from "./kernel/types.ts";

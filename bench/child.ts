/** The child process of one task: the task as JSON in its first argument, the answer as a message to the parent. */

import process from "node:process";
import { candidateNamed } from "./candidates/all-candidates.ts";
import { performTask } from "./perform-task.ts";
import type { Task } from "./task.ts";
import { workloadNamed } from "./workloads/all-workloads.ts";

const task = JSON.parse(process.argv[2] ?? "") as Task;
const answer = await performTask(task, { candidateNamed, workloadNamed });
process.send?.(answer, undefined, undefined, () => process.exit(0));

import { err, type Fault, fault, type Result, type ThreadId } from "@uncaged/workflow-protocol";

/** What making one thread's page throws is told of that thread: it takes no other's page with it. */
export async function ofOneThread<T>(
  thread: ThreadId,
  make: () => Promise<Result<T, Fault>>,
): Promise<Result<T, Fault>> {
  try {
    return await make();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return err(fault("BUG", { reason: `thread ${thread} cannot be shown: ${reason}` }));
  }
}

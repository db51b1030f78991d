import { err, type Fault, fault, type Result, type ThreadId } from "@uncaged/workflow-protocol";

/** An exception while a thread's page is made is a fault of that thread: the other pages are still made. */
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

/** Reads an answer whose sender may be hostile: no more of it than is allowed. */
import { CommandFault } from '../terminal/exit-code.ts'

/** `name` is what the message calls the answer. Throws a CommandFault past `bytesMax`. */
export async function readBounded(
  { body }: Response,
  { bytesMax, name }: { readonly bytesMax: number; readonly name: string },
): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body ?? []) {
    bytes += chunk.length
    if (bytes > bytesMax) throw new CommandFault(`${name} has over ${bytesMax} bytes.`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

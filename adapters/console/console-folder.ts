/**
 * The files of the console as a build left them: in the folder `console` beside the program's
 * bundle. Each is read once.
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Returns the reader of the files in `folder`. The caller checks names. */
export function readConsoleFrom(folder: string): (name: string) => Promise<string | undefined> {
  const files = new Map<string, string>()
  return async (name) => {
    const known = files.get(name)
    if (known !== undefined) return known
    const text = await readFile(join(folder, name), 'utf8').catch(() => undefined)
    if (text !== undefined) files.set(name, text)
    return text
  }
}

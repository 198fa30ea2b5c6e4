/** What each way to delimit a body gives, and where it collects bytes: never more than the cap. */

export type Body = {
  /** `surplus`: done, and bytes came that are not of this answer. */
  take(bytes: Buffer): 'more' | 'done' | 'surplus' | 'broken' | 'too_large'
  /** What was taken: whole after `done` and `surplus`. */
  bytes(): Buffer
}

export type Parts = {
  /** False past the cap, and then nothing of the part is kept. */
  add(part: Buffer): boolean
  all(): Buffer
}

export function collected(bytesMax: number): Parts {
  const parts: Buffer[] = []
  let total = 0
  return {
    add: (part) => {
      total += part.length
      if (total <= bytesMax) parts.push(part)
      return total <= bytesMax
    },
    all: () => {
      const [only, second] = parts
      return only !== undefined && second === undefined ? only : Buffer.concat(parts)
    },
  }
}

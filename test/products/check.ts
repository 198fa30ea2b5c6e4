/** One line of the report of `npm run test:products`. */
export type Check = { readonly says: string; readonly wrong: string | undefined }

/** The most characters of what a product said that a failed check shows. */
const OUTPUT_CHARS_MAX = 600

export function check(says: string, output: string, holds: boolean): Check {
  const shown = output.replaceAll(/\s+/g, ' ').slice(0, OUTPUT_CHARS_MAX)
  return { says, wrong: holds ? undefined : shown }
}

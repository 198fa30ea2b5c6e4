/**
 * Recognises a placeholder that a client sent in place of a credential, such as `${SKILLGATE_KEY}`:
 * its file names a variable, and the client did not put the value in. No key and no token has such
 * a form. The answer shows the name of the variable, and never what may be a secret.
 */

/** Longest name that an answer repeats. It is shorter than each key and token of the gateway. */
export const PLACEHOLDER_NAME_CHARS_MAX = 40

/** Each form has the name of its variable as the first group that matched. */
const FORMS: readonly RegExp[] = [
  /^\$\{([^{}]*)\}$/, // ${NAME}, ${env:NAME} and ${input:NAME}
  /^\$((?:env:)?[A-Za-z_]\w*)$/i, // $NAME of shells, and $env:NAME of PowerShell
  /^%([A-Za-z_]\w*)%$/, // of Windows
  /^\{\{([^{}]*)\}\}$/, // of templates
  /^\{((?:env|file):[^{}]*)\}$/, // of OpenCode
]
/** `<your key>` of documents. What is between the brackets may be a key, so it is never repeated. */
const TO_FILL_IN = /^<[^<>]*>$/
const NAME = /^[A-Za-z_][\w.:-]*$/

export type Placeholder = {
  /** The placeholder as it may be shown. */
  readonly shown: string
  /** The variable that was not expanded; undefined if a person has to fill the value in. */
  readonly variable: string | undefined
}

/** Returns undefined for any other text. `text` has no spaces around it. */
export function readPlaceholder(text: string): Placeholder | undefined {
  if (TO_FILL_IN.test(text)) return { shown: '<…>', variable: undefined }
  for (const form of FORMS) {
    const name = form.exec(text)?.[1]?.trim()
    if (name === undefined) continue
    const isShown = NAME.test(name) && name.length <= PLACEHOLDER_NAME_CHARS_MAX
    const variable = isShown ? name.replace(/^\w+:/, '') : 'the variable'
    return { shown: isShown ? text : 'a placeholder', variable }
  }
  return undefined
}

/** Explains the refusal of a header to the person who configures the client. */
export function explainPlaceholder(header: string, { shown, variable }: Placeholder): string {
  if (variable === undefined) {
    return `${header}: holds ${shown} of an example; put the key in its place, without the brackets`
  }
  return `${header}: the client sent ${shown} and not its value; set ${variable} where the client starts, and start it again. A client that expands no variables needs the key itself: skillgate connect CLIENT --key-in-file`
}

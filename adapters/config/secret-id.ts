/** What names a secret in Secrets Manager. */

/** Letters, digits and /_+=.@- in a name; an ARN has colons too. */
export const SECRET_ID = /^[A-Za-z0-9/_+=.@:-]{1,2048}$/
export const A_SECRET = 'the name or ARN of a secret'

/**
 * Checks whether a text is one emoji. An emoji may have many code points: a base, a variation, a
 * skin tone, and more emojis after joiners. Bound by UTS #51, section 1.4.9 (EBNF and Regex).
 */

/** One member of a joined sequence: a flag, a keycap, or a base with its modifiers. */
const MEMBER = String.raw`(?:\p{RI}\p{RI}|[0-9#*]\uFE0F?\u20E3|(?![0-9#*])\p{Emoji}(?:\p{EMod}|\uFE0F|[\u{E0020}-\u{E007E}]+\u{E007F})?)`
const ONE_EMOJI = new RegExp(`^${MEMBER}(?:\\u200D${MEMBER})*$`, 'u')

/** False for a digit alone: it is an emoji only as a keycap, although it has Unicode's property. */
export function isOneEmoji(text: string): boolean {
  return ONE_EMOJI.test(text)
}

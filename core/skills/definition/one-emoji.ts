/**
 * Tells one emoji from any other text. One emoji may be many code points: a base, a variation, a
 * skin tone, and further emojis behind joiners. Bound by UTS #51, section 1.4.9 (EBNF and Regex).
 */

/** One member of a joined sequence: a flag, a keycap, or a base with what modifies it. */
const MEMBER = String.raw`(?:\p{RI}\p{RI}|[0-9#*]\uFE0F?\u20E3|(?![0-9#*])\p{Emoji}(?:\p{EMod}|\uFE0F|[\u{E0020}-\u{E007E}]+\u{E007F})?)`
const ONE_EMOJI = new RegExp(`^${MEMBER}(?:\\u200D${MEMBER})*$`, 'u')

/** A digit is an emoji only as a keycap, though Unicode gives it the property. */
export function isOneEmoji(text: string): boolean {
  return ONE_EMOJI.test(text)
}

/** The language detection endpoint (beta, opt-in for the account). */
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"
import { body, form, opaque } from "../../contract/internal/body.ts"
import * as Endpoint from "../../contract/internal/endpoint.ts"
import * as Fields from "../../contract/internal/schema.ts"
import { DetectedLanguage } from "../../contract/Language.ts"
import * as codecs from "../../errors/internal/codecs.ts"

/**
 * The reason why a text has no detected language.
 *
 * @category models
 * @since 0.1.0
 */
export type UndetectedReason = Fields.Open<"insufficient_confidence" | "unsupported_language" | "no_language_detected">

export class DetectBody extends body<DetectBody>()("DetectBody", { text: Schema.Array(Schema.String) }) {}

/**
 * A text with a detected language.
 *
 * @category schemas
 * @since 0.1.0
 */
export class Detected extends opaque<Detected>()(Schema.TaggedStruct("Detected", { language: DetectedLanguage })) {}

/**
 * A text without a detected language. Very short texts tend to give `insufficient_confidence` or `no_language_detected`.
 *
 * @category schemas
 * @since 0.1.0
 */
export class Undetected extends opaque<Undetected>()(
  Schema.TaggedStruct("Undetected", {
    reason: Fields.open<UndetectedReason>().check(
      Schema.makeFilter((reason) => reason !== "success" || "success has a detected_language")
    )
  })
) {}

/**
 * The result for one text.
 *
 * @category models
 * @since 0.1.0
 */
export type DetectionResult = Detected | Undetected

const readStatus = Fields.stateOf("success insufficient_confidence unsupported_language no_language_detected")

const WireResult = Schema.Struct({
  detection_status: Schema.String,
  detected_language: Fields.occasional(DetectedLanguage)
}).pipe(Schema.annotateEncoded({ identifier: "DetectionResult" }))

/**
 * Schema of a {@link DetectionResult}: on the wire `detection_status` with `detected_language`.
 *
 * @category schemas
 * @since 0.1.0
 */
export const DetectionResult = WireResult.pipe(
  Schema.decodeTo(
    Schema.Union([Detected, Undetected]),
    SchemaTransformation.transform({
      decode: ({ detected_language, detection_status }) => {
        const reason = readStatus(detection_status)
        return reason === "success" && detected_language !== undefined
          ? { _tag: "Detected" as const, language: detected_language }
          : { _tag: "Undetected" as const, reason }
      },
      encode: (result) =>
        result._tag === "Detected"
          ? { detection_status: "success", detected_language: result.language }
          : { detection_status: result.reason }
    })
  )
)

export class DetectionResults
  extends body<DetectionResults>()("DetectionResults", { results: Schema.Array(DetectionResult) })
{}

const api = Endpoint.of({ error: [...codecs.common, codecs.unsupportedMediaType, codecs.quotaExceeded] })

export class DetectionApi extends Endpoint.group(
  "Detection",
  api.post("detect", "/v3/detect/language", "Detect the language of texts", {
    payload: [DetectBody, form(DetectBody)],
    success: DetectionResults,
    repeat: "Read"
  })
) {}

{{- /* At most 44 characters: the longest name that it is part of is that of a Service, NAME-controller-metrics, which may have 63. */ -}}
{{- define "crosswalk.name" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 44 | trimSuffix "-" -}}
{{- else -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- if contains $name .Release.Name -}}
{{- .Release.Name | trunc 44 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name | trunc 44 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "crosswalk.selector" -}}
app.kubernetes.io/name: crosswalk
app.kubernetes.io/instance: {{ .Release.Name | quote }}
app.kubernetes.io/component: gateway
{{- end -}}

{{- define "crosswalk.labels" -}}
{{ include "crosswalk.selector" . }}
{{ include "crosswalk.common" . }}
{{- end -}}

{{- define "crosswalk.controllerSelector" -}}
app.kubernetes.io/name: crosswalk
app.kubernetes.io/instance: {{ .Release.Name | quote }}
app.kubernetes.io/component: controller
{{- end -}}

{{- define "crosswalk.controllerLabels" -}}
{{ include "crosswalk.controllerSelector" . }}
{{ include "crosswalk.common" . }}
{{- end -}}

{{- define "crosswalk.common" -}}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- with .Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- /* Labels of an object, and more of the user's, which may have the same names as commonLabels. Argument: labels as text, and more. */ -}}
{{- define "crosswalk.with" -}}
{{- mergeOverwrite (fromYaml .labels) (default dict .more) | toYaml -}}
{{- end -}}

{{- define "crosswalk.annotations" -}}
{{- with merge (dict) (default dict .more) .root.Values.commonAnnotations }}{{ printf "annotations: %s" (toJson .) | nindent 2 }}{{ end -}}
{{- end -}}

{{- /* An image by digest, else by tag. Argument: an object with repository, tag and digest, and the value's path for the message. */ -}}
{{- define "crosswalk.image" -}}
{{- $repository := required (printf "%s.repository must name an image: no registry has an official one: push the image of a release, or build deploy/Dockerfile" .path) .image.repository -}}
{{- if .image.digest -}}
{{- printf "%s@%s" $repository .image.digest -}}
{{- else -}}
{{- printf "%s:%s" $repository (required (printf "%s.digest or %s.tag must be set" .path .path) .image.tag) -}}
{{- end -}}
{{- end -}}

{{- define "crosswalk.secret" -}}
{{- default (printf "%s-tls" (include "crosswalk.name" .)) .Values.certificate.secretName -}}
{{- end -}}

{{- /* What the profile stands for, as an object in JSON. */ -}}
{{- define "crosswalk.profile" -}}
{{- if eq .Values.profile "small" -}}
{{- dict "goMemoryLimit" "160MiB" "maxInstances" 4 "maxLoadedBytes" "48Mi" "request" "128Mi" "limit" 512
  "flags" (list "--module-memory-bytes=16Mi" "--max-module-bytes=8Mi" "--vet-memory-bytes=120Mi" "--max-definition-bytes=32Mi"
    "--max-body-bytes=4Mi" "--max-body-bytes-in-flight=16Mi" "--max-reply-bytes=4Mi" "--max-connections=256" "--cache-bytes=8Mi") | toJson -}}
{{- else -}}
{{- dict "goMemoryLimit" "1568MiB" "maxInstances" 16 "maxLoadedBytes" "512Mi" "request" "256Mi" "limit" 4608 "flags" list | toJson -}}
{{- end -}}
{{- end -}}

{{- /* The images that the sidecar pulls, as a list in JSON: the reference, and the entries of the catalogue. */ -}}
{{- define "crosswalk.references" -}}
{{- $references := list -}}
{{- with .reference -}}{{- $references = append $references . -}}{{- end -}}
{{- $catalogue := .catalogue -}}
{{- range .entries -}}
{{- $references = append $references (printf "%s/%s" (required "modules.sidecar.catalogue must be set with modules.sidecar.entries" $catalogue) .) -}}
{{- end -}}
{{- if not $references -}}
{{- fail "modules.sidecar.reference or modules.sidecar.entries must be set with modules.source=sidecar" -}}
{{- end -}}
{{- toJson $references -}}
{{- end -}}

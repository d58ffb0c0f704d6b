# bash completion for whisper-local
_whisper_local_models() {
    local name
    case $word in */*) compopt -o default; return;; esac
    while IFS= read -r name; do
        [[ $name = "$word"* ]] && COMPREPLY+=("$(printf %q "$name")")
    done < <(whisper-local models list --names 2>/dev/null)
}
_whisper_local() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} other
    COMPREPLY=()
    if [ "$COMP_CWORD" -eq 1 ]; then
        COMPREPLY=($(compgen -W 'transcribe align live dictate serve cache history speakers vocabulary models bench doctor completions --help --version' -- "$word")); return
    fi
    case ${COMP_WORDS[1]} in
    transcribe)
        case $before in
        --model|-m) _whisper_local_models; return;;
        --model-dir) compopt -o dirnames; return;;
        --language|-l) COMPREPLY=($(compgen -W 'auto help en zh de es ru ko fr ja pt tr pl ca nl ar sv it id hi fi vi he uk el ms cs ro da hu ta no th ur hr bg lt la mi ml cy sk te fa lv bn sr az sl kn et mk br eu is hy ne mn bs kk sq sw gl mr pa si km sn yo so af oc ka be tg sd gu am yi lo uz fo ht ps tk nn mt sa lb my bo tl mg as tt haw ln ha ba jw su yue' -- "$word")); return;;
        --languages) COMPREPLY=($(compgen -W 'auto en zh de es ru ko fr ja pt tr pl ca nl ar sv it id hi fi vi he uk el ms cs ro da hu ta no th ur hr bg lt la mi ml cy sk te fa lv bn sr az sl kn et mk br eu is hy ne mn bs kk sq sw gl mr pa si km sn yo so af oc ka be tg sd gu am yi lo uz fo ht ps tk nn mt sa lb my bo tl mg as tt haw ln ha ba jw su yue' -- "$word")); return;;
        --task) COMPREPLY=($(compgen -W 'transcribe translate' -- "$word")); return;;
        --compute-type) COMPREPLY=($(compgen -W 'auto float32 bfloat16 int16 int8' -- "$word")); return;;
        --backend) COMPREPLY=($(compgen -W 'auto openblas reference' -- "$word")); return;;
        --threads|-t) :; return;;
        --packed-weights) compopt -o dirnames; return;;
        --raw) :; return;;
        --track) :; return;;
        --channels) COMPREPLY=($(compgen -W 'mix split' -- "$word")); return;;
        --clock) COMPREPLY=($(compgen -W 'file audio' -- "$word")); return;;
        --offset) :; return;;
        --duration) :; return;;
        --clip-timestamps) :; return;;
        --audio-ctx) COMPREPLY=($(compgen -W 'auto full' -- "$word")); return;;
        --speaker-names) :; return;;
        --min-speakers) :; return;;
        --max-speakers) :; return;;
        --vad-model) COMPREPLY=($(compgen -W 'energy silero' -- "$word")); return;;
        --vad-threshold) :; return;;
        --vad-min-speech-ms) :; return;;
        --vad-min-silence-ms) :; return;;
        --vad-speech-pad-ms) :; return;;
        --preset) COMPREPLY=($(compgen -W 'standard openai-whisper' -- "$word")); return;;
        --beam-size) :; return;;
        --best-of) :; return;;
        --patience) :; return;;
        --length-penalty) :; return;;
        --length-exponent) :; return;;
        --temperature) :; return;;
        --temperature-increment-on-fallback) :; return;;
        --seed) :; return;;
        --compression-ratio-threshold) :; return;;
        --logprob-threshold) :; return;;
        --no-speech-threshold) :; return;;
        --repetition-penalty) :; return;;
        --no-repeat-ngram-size) :; return;;
        --max-new-tokens) :; return;;
        --chunk-length) :; return;;
        --batch-size) :; return;;
        --initial-prompt) :; return;;
        --prefix) :; return;;
        --hotwords) :; return;;
        --prompt-reset-on-temperature) :; return;;
        --suppress-tokens) :; return;;
        --max-initial-timestamp) :; return;;
        --vocabulary) compopt -o default; return;;
        --terms) :; return;;
        --prepend-punctuations) :; return;;
        --append-punctuations) :; return;;
        --hallucination-silence-threshold) :; return;;
        --subtitles) COMPREPLY=($(compgen -W 'readable netflix bbc whisper' -- "$word")); return;;
        --max-line-width) :; return;;
        --max-line-count) :; return;;
        --max-words-per-line) :; return;;
        --output-format|-f) COMPREPLY=($(compgen -W 'all txt md srt vtt ass tsv json csv lrc rttm' -- "$word")); return;;
        --output-dir|-o) compopt -o dirnames; return;;
        --color) COMPREPLY=($(compgen -W 'auto always never' -- "$word")); return;;
        --files-from) compopt -o default; return;;
        --shard) :; return;;
        --report) compopt -o default; return;;
        --device) COMPREPLY=($(compgen -W 'cpu' -- "$word")); return;;
        esac
        for other in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
            [ "$other" = -- ] && { compopt -o default; return; }
        done
        case $word in
        -*) COMPREPLY=($(compgen -W '--model -m --model-dir --language -l --languages --multilingual --task --translate --compute-type --backend --threads -t --packed-weights --raw --track --channels --clock --offset --duration --clip-timestamps --audio-ctx --speakers --speaker-names --known-speakers --min-speakers --max-speakers --vad-filter --vad-model --vad-threshold --vad-min-speech-ms --vad-min-silence-ms --vad-speech-pad-ms --preset --guard --beam-size --best-of --patience --length-penalty --length-exponent --temperature --temperature-increment-on-fallback --seed --compression-ratio-threshold --logprob-threshold --no-speech-threshold --repetition-penalty --no-repeat-ngram-size --max-new-tokens --chunk-length --batch-size --initial-prompt --carry-initial-prompt --prefix --prefix-in-text --hotwords --condition-on-previous-text --prompt-reset-on-temperature --suppress-tokens --no-suppress-blank --max-initial-timestamp --without-timestamps --vocabulary --terms --no-vocabulary --word-timestamps --prepend-punctuations --append-punctuations --hallucination-silence-threshold --subtitles --highlight-words --max-line-width --max-line-count --max-words-per-line --output-format -f --output-dir -o --beside --paragraphs --no-timestamps --skip-existing --print-colors --color --quiet -q --verbose -v --no-progress --files-from --null -0 --shard --report --device --fp16 --no-config --help -h --version' -- "$word"));;
        *) compopt -o default;
        esac;;
    align)
        case $before in
        --model|-m) _whisper_local_models; return;;
        --model-dir) compopt -o dirnames; return;;
        --language|-l) COMPREPLY=($(compgen -W 'auto help en zh de es ru ko fr ja pt tr pl ca nl ar sv it id hi fi vi he uk el ms cs ro da hu ta no th ur hr bg lt la mi ml cy sk te fa lv bn sr az sl kn et mk br eu is hy ne mn bs kk sq sw gl mr pa si km sn yo so af oc ka be tg sd gu am yi lo uz fo ht ps tk nn mt sa lb my bo tl mg as tt haw ln ha ba jw su yue' -- "$word")); return;;
        --languages) COMPREPLY=($(compgen -W 'auto en zh de es ru ko fr ja pt tr pl ca nl ar sv it id hi fi vi he uk el ms cs ro da hu ta no th ur hr bg lt la mi ml cy sk te fa lv bn sr az sl kn et mk br eu is hy ne mn bs kk sq sw gl mr pa si km sn yo so af oc ka be tg sd gu am yi lo uz fo ht ps tk nn mt sa lb my bo tl mg as tt haw ln ha ba jw su yue' -- "$word")); return;;
        --compute-type) COMPREPLY=($(compgen -W 'auto float32 bfloat16 int16 int8' -- "$word")); return;;
        --backend) COMPREPLY=($(compgen -W 'auto openblas reference' -- "$word")); return;;
        --threads|-t) :; return;;
        --packed-weights) compopt -o dirnames; return;;
        --track) :; return;;
        --near) :; return;;
        --subtitles) COMPREPLY=($(compgen -W 'readable netflix bbc whisper' -- "$word")); return;;
        --max-line-width) :; return;;
        --max-line-count) :; return;;
        --max-words-per-line) :; return;;
        --output-format|-f) COMPREPLY=($(compgen -W 'all txt md srt vtt ass tsv json csv lrc rttm' -- "$word")); return;;
        --output-dir|-o) compopt -o dirnames; return;;
        esac
        for other in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
            [ "$other" = -- ] && { compopt -o default; return; }
        done
        case $word in
        -*) COMPREPLY=($(compgen -W '--model -m --model-dir --language -l --languages --compute-type --backend --threads -t --packed-weights --track --near --subtitles --highlight-words --max-line-width --max-line-count --max-words-per-line --output-format -f --output-dir -o --no-timestamps --quiet -q --verbose -v --no-progress --no-config --help -h --version' -- "$word"));;
        *) compopt -o default;
        esac;;
    live)
        case $before in
        --model|-m) _whisper_local_models; return;;
        --model-dir) compopt -o dirnames; return;;
        --language|-l) COMPREPLY=($(compgen -W 'auto help en zh de es ru ko fr ja pt tr pl ca nl ar sv it id hi fi vi he uk el ms cs ro da hu ta no th ur hr bg lt la mi ml cy sk te fa lv bn sr az sl kn et mk br eu is hy ne mn bs kk sq sw gl mr pa si km sn yo so af oc ka be tg sd gu am yi lo uz fo ht ps tk nn mt sa lb my bo tl mg as tt haw ln ha ba jw su yue' -- "$word")); return;;
        --languages) COMPREPLY=($(compgen -W 'auto en zh de es ru ko fr ja pt tr pl ca nl ar sv it id hi fi vi he uk el ms cs ro da hu ta no th ur hr bg lt la mi ml cy sk te fa lv bn sr az sl kn et mk br eu is hy ne mn bs kk sq sw gl mr pa si km sn yo so af oc ka be tg sd gu am yi lo uz fo ht ps tk nn mt sa lb my bo tl mg as tt haw ln ha ba jw su yue' -- "$word")); return;;
        --task) COMPREPLY=($(compgen -W 'transcribe translate' -- "$word")); return;;
        --compute-type) COMPREPLY=($(compgen -W 'auto float32 bfloat16 int16 int8' -- "$word")); return;;
        --backend) COMPREPLY=($(compgen -W 'auto openblas reference' -- "$word")); return;;
        --threads|-t) :; return;;
        --packed-weights) compopt -o dirnames; return;;
        --device) :; return;;
        --file) compopt -o default; return;;
        --raw) :; return;;
        --speed) COMPREPLY=($(compgen -W '1 2 max' -- "$word")); return;;
        --duration) :; return;;
        --speaker-names) :; return;;
        --commit) COMPREPLY=($(compgen -W 'utterance agree align' -- "$word")); return;;
        --step) :; return;;
        --vad-model) COMPREPLY=($(compgen -W 'auto energy silero' -- "$word")); return;;
        --vocabulary) compopt -o default; return;;
        --terms) :; return;;
        --color) COMPREPLY=($(compgen -W 'auto always never' -- "$word")); return;;
        --session) :; return;;
        --save-audio) compopt -o default; return;;
        esac
        for other in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
            [ "$other" = -- ] && { :; return; }
        done
        case $word in
        -*) COMPREPLY=($(compgen -W '--model -m --model-dir --language -l --languages --multilingual --task --translate --compute-type --backend --threads -t --packed-weights --device --list-devices --file --raw --speed --duration --speakers --speaker-names --known-speakers --commit --step --deterministic --vad-model --no-vad --no-context --no-phrase-filter --vocabulary --terms --no-vocabulary --json --no-timestamps --color --quiet -q --verbose -v --session --show-unsaved --save-audio --keep-audio --no-config --help -h --version' -- "$word"));;
        *) :;
        esac;;
    dictate)
        case $before in
        --model|-m) _whisper_local_models; return;;
        --model-dir) compopt -o dirnames; return;;
        --language|-l) COMPREPLY=($(compgen -W 'auto help en zh de es ru ko fr ja pt tr pl ca nl ar sv it id hi fi vi he uk el ms cs ro da hu ta no th ur hr bg lt la mi ml cy sk te fa lv bn sr az sl kn et mk br eu is hy ne mn bs kk sq sw gl mr pa si km sn yo so af oc ka be tg sd gu am yi lo uz fo ht ps tk nn mt sa lb my bo tl mg as tt haw ln ha ba jw su yue' -- "$word")); return;;
        --languages) COMPREPLY=($(compgen -W 'auto en zh de es ru ko fr ja pt tr pl ca nl ar sv it id hi fi vi he uk el ms cs ro da hu ta no th ur hr bg lt la mi ml cy sk te fa lv bn sr az sl kn et mk br eu is hy ne mn bs kk sq sw gl mr pa si km sn yo so af oc ka be tg sd gu am yi lo uz fo ht ps tk nn mt sa lb my bo tl mg as tt haw ln ha ba jw su yue' -- "$word")); return;;
        --task) COMPREPLY=($(compgen -W 'transcribe translate' -- "$word")); return;;
        --compute-type) COMPREPLY=($(compgen -W 'auto float32 bfloat16 int16 int8' -- "$word")); return;;
        --backend) COMPREPLY=($(compgen -W 'auto openblas reference' -- "$word")); return;;
        --threads|-t) :; return;;
        --packed-weights) compopt -o dirnames; return;;
        --device) :; return;;
        --file) compopt -o default; return;;
        --raw) :; return;;
        --key) :; return;;
        --unload-after) :; return;;
        --vad-model) COMPREPLY=($(compgen -W 'auto energy silero' -- "$word")); return;;
        --vocabulary) compopt -o default; return;;
        --terms) :; return;;
        --paste-key) COMPREPLY=($(compgen -W 'shift+insert ctrl+v ctrl+shift+v' -- "$word")); return;;
        --deliver) :; return;;
        --color) COMPREPLY=($(compgen -W 'auto always never' -- "$word")); return;;
        --session) :; return;;
        esac
        for other in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
            [ "$other" = -- ] && { COMPREPLY=($(compgen -W 'start stop toggle cancel status quit' -- "$word")); return; }
        done
        case $word in
        -*) COMPREPLY=($(compgen -W '--model -m --model-dir --language -l --languages --multilingual --task --translate --compute-type --backend --threads -t --packed-weights --device --list-devices --file --raw --close-device --toggle --key --bell --no-sounds --unload-after --follow --json --vad-model --no-vad --no-context --no-phrase-filter --vocabulary --terms --no-vocabulary --spoken-punctuation --type --paste-key --copy --deliver --append --color --quiet -q --verbose -v --session --no-config --help -h --version' -- "$word"));;
        *) COMPREPLY=($(compgen -W 'start stop toggle cancel status quit' -- "$word"));
        esac;;
    serve)
        case $before in
        --model|-m) compopt -o default; return;;
        --model-dir) compopt -o dirnames; return;;
        --max-models) :; return;;
        --unload-after) :; return;;
        --languages) COMPREPLY=($(compgen -W 'auto en zh de es ru ko fr ja pt tr pl ca nl ar sv it id hi fi vi he uk el ms cs ro da hu ta no th ur hr bg lt la mi ml cy sk te fa lv bn sr az sl kn et mk br eu is hy ne mn bs kk sq sw gl mr pa si km sn yo so af oc ka be tg sd gu am yi lo uz fo ht ps tk nn mt sa lb my bo tl mg as tt haw ln ha ba jw su yue' -- "$word")); return;;
        --compute-type) COMPREPLY=($(compgen -W 'auto float32 bfloat16 int16 int8' -- "$word")); return;;
        --backend) COMPREPLY=($(compgen -W 'auto openblas reference' -- "$word")); return;;
        --threads|-t) :; return;;
        --packed-weights) compopt -o dirnames; return;;
        --host) :; return;;
        --port) :; return;;
        --socket) compopt -o default; return;;
        --wyoming) compopt -o default; return;;
        --api-key-file) compopt -o default; return;;
        --tls-cert) compopt -o default; return;;
        --tls-key) compopt -o default; return;;
        --allow-from) :; return;;
        --allow-host) :; return;;
        --allow-origin) :; return;;
        --workers) :; return;;
        --max-queue) :; return;;
        --max-sessions) :; return;;
        --max-upload) :; return;;
        --max-duration) :; return;;
        --preset) COMPREPLY=($(compgen -W 'standard openai-whisper' -- "$word")); return;;
        --vocabulary) compopt -o default; return;;
        --terms) :; return;;
        --audio-ctx) COMPREPLY=($(compgen -W 'auto full' -- "$word")); return;;
        --beam-size) :; return;;
        --streaming-fields) COMPREPLY=($(compgen -W 'auto v3 hybrid' -- "$word")); return;;
        --cache) compopt -o default; return;;
        --cache-size) :; return;;
        --report-cost-per-minute) :; return;;
        esac
        for other in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
            [ "$other" = -- ] && { :; return; }
        done
        case $word in
        -*) COMPREPLY=($(compgen -W '--model -m --model-dir --max-models --unload-after --languages --multilingual --compute-type --backend --threads -t --packed-weights --host --port --socket --wyoming --api-key-file --tls-cert --tls-key --allow-from --allow-host --allow-origin --workers --max-queue --max-sessions --max-upload --max-duration --preset --guard --vocabulary --terms --no-vocabulary --audio-ctx --beam-size --strict-api --strict-models --streaming-fields --cache --cache-size --cache-per-model --report-cost-per-minute --enable-recipes --quiet -q --verbose -v --no-config --help -h --version' -- "$word"));;
        *) :;
        esac;;
    cache)
        if [ "$COMP_CWORD" -eq 2 ]; then
            COMPREPLY=($(compgen -W 'list clear --help' -- "$word")); return
        fi
        case ${COMP_WORDS[2]} in
        list)
            case $before in
            --cache) compopt -o default; return;;
            esac
            for other in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
                [ "$other" = -- ] && { :; return; }
            done
            case $word in
            -*) COMPREPLY=($(compgen -W '--cache --json --no-config --help -h --version' -- "$word"));;
            *) :;
            esac;;
        clear)
            case $before in
            --cache) compopt -o default; return;;
            --older-than) :; return;;
            esac
            for other in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
                [ "$other" = -- ] && { :; return; }
            done
            case $word in
            -*) COMPREPLY=($(compgen -W '--cache --older-than --yes -y --no-config --help -h --version' -- "$word"));;
            *) :;
            esac;;
        esac;;
    history)
        if [ "$COMP_CWORD" -eq 2 ]; then
            COMPREPLY=($(compgen -W 'list show export search delete recover --help' -- "$word")); return
        fi
        case ${COMP_WORDS[2]} in
        list)
            case $before in
            esac
            for other in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
                [ "$other" = -- ] && { :; return; }
            done
            case $word in
            -*) COMPREPLY=($(compgen -W '--json --no-config --help -h --version' -- "$word"));;
            *) :;
            esac;;
        show)
            case $before in
            esac
            for other in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
                [ "$other" = -- ] && { :; return; }
            done
            case $word in
            -*) COMPREPLY=($(compgen -W '--no-timestamps --wall-clock --no-config --help -h --version' -- "$word"));;
            *) :;
            esac;;
        export)
            case $before in
            --subtitles) COMPREPLY=($(compgen -W 'readable netflix bbc whisper' -- "$word")); return;;
            --max-line-width) :; return;;
            --max-line-count) :; return;;
            --max-words-per-line) :; return;;
            --output-format|-f) COMPREPLY=($(compgen -W 'all txt md srt vtt ass tsv json csv lrc rttm' -- "$word")); return;;
            --output-dir|-o) compopt -o dirnames; return;;
            esac
            for other in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
                [ "$other" = -- ] && { :; return; }
            done
            case $word in
            -*) COMPREPLY=($(compgen -W '--subtitles --highlight-words --max-line-width --max-line-count --max-words-per-line --output-format -f --output-dir -o --paragraphs --no-config --help -h --version' -- "$word"));;
            *) :;
            esac;;
        search)
            case $before in
            --limit) :; return;;
            esac
            for other in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
                [ "$other" = -- ] && { :; return; }
            done
            case $word in
            -*) COMPREPLY=($(compgen -W '--raw --substring --limit --no-config --help -h --version' -- "$word"));;
            *) :;
            esac;;
        delete)
            case $before in
            esac
            for other in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
                [ "$other" = -- ] && { :; return; }
            done
            case $word in
            -*) COMPREPLY=($(compgen -W '--yes -y --vacuum --no-config --help -h --version' -- "$word"));;
            *) :;
            esac;;
        recover)
            case $before in
            --model|-m) _whisper_local_models; return;;
            --model-dir) compopt -o dirnames; return;;
            --languages) COMPREPLY=($(compgen -W 'auto en zh de es ru ko fr ja pt tr pl ca nl ar sv it id hi fi vi he uk el ms cs ro da hu ta no th ur hr bg lt la mi ml cy sk te fa lv bn sr az sl kn et mk br eu is hy ne mn bs kk sq sw gl mr pa si km sn yo so af oc ka be tg sd gu am yi lo uz fo ht ps tk nn mt sa lb my bo tl mg as tt haw ln ha ba jw su yue' -- "$word")); return;;
            --compute-type) COMPREPLY=($(compgen -W 'auto float32 bfloat16 int16 int8' -- "$word")); return;;
            --backend) COMPREPLY=($(compgen -W 'auto openblas reference' -- "$word")); return;;
            --threads|-t) :; return;;
            --packed-weights) compopt -o dirnames; return;;
            esac
            for other in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
                [ "$other" = -- ] && { :; return; }
            done
            case $word in
            -*) COMPREPLY=($(compgen -W '--model -m --model-dir --languages --compute-type --backend --threads -t --packed-weights --no-config --help -h --version' -- "$word"));;
            *) :;
            esac;;
        esac;;
    speakers)
        if [ "$COMP_CWORD" -eq 2 ]; then
            COMPREPLY=($(compgen -W 'enroll list remove export --help' -- "$word")); return
        fi
        case ${COMP_WORDS[2]} in
        enroll)
            case $before in
            --model-dir) compopt -o dirnames; return;;
            --threads|-t) :; return;;
            esac
            for other in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
                [ "$other" = -- ] && { compopt -o default; return; }
            done
            case $word in
            -*) COMPREPLY=($(compgen -W '--model-dir --threads -t --no-config --help -h --version' -- "$word"));;
            *) compopt -o default;
            esac;;
        list)
            case $before in
            esac
            for other in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
                [ "$other" = -- ] && { :; return; }
            done
            case $word in
            -*) COMPREPLY=($(compgen -W '--json --no-config --help -h --version' -- "$word"));;
            *) :;
            esac;;
        remove)
            case $before in
            esac
            for other in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
                [ "$other" = -- ] && { :; return; }
            done
            case $word in
            -*) COMPREPLY=($(compgen -W '--yes -y --no-config --help -h --version' -- "$word"));;
            *) :;
            esac;;
        export)
            case $before in
            esac
            for other in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
                [ "$other" = -- ] && { :; return; }
            done
            case $word in
            -*) COMPREPLY=($(compgen -W '--no-config --help -h --version' -- "$word"));;
            *) :;
            esac;;
        esac;;
    vocabulary)
        if [ "$COMP_CWORD" -eq 2 ]; then
            COMPREPLY=($(compgen -W 'check --help' -- "$word")); return
        fi
        case ${COMP_WORDS[2]} in
        check)
            case $before in
            --model|-m) _whisper_local_models; return;;
            --model-dir) compopt -o dirnames; return;;
            esac
            for other in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
                [ "$other" = -- ] && { compopt -o default; return; }
            done
            case $word in
            -*) COMPREPLY=($(compgen -W '--model -m --model-dir --no-config --help -h --version' -- "$word"));;
            *) compopt -o default;
            esac;;
        esac;;
    models)
        if [ "$COMP_CWORD" -eq 2 ]; then
            COMPREPLY=($(compgen -W 'list pull info path verify convert remove --help' -- "$word")); return
        fi
        case ${COMP_WORDS[2]} in
        list)
            case $before in
            esac
            for other in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
                [ "$other" = -- ] && { :; return; }
            done
            case $word in
            -*) COMPREPLY=($(compgen -W '--json --names --no-config --help -h --version' -- "$word"));;
            *) :;
            esac;;
        pull)
            case $before in
            --model-dir) compopt -o dirnames; return;;
            --sha256) :; return;;
            --timeout) :; return;;
            esac
            for other in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
                [ "$other" = -- ] && { COMPREPLY=($(compgen -W 'tiny.en tiny base.en base small.en small medium.en medium large-v3-turbo-q5_0 large-v3-turbo large-v1 large-v2-q5_0 large-v2 large-v3-q5_0 large-v3 parakeet-v2 parakeet-v3 silero-vad speakers speakers-2022' -- "$word")); return; }
            done
            case $word in
            -*) COMPREPLY=($(compgen -W '--model-dir --sha256 --packages --timeout --quiet -q --no-config --help -h --version' -- "$word"));;
            *) COMPREPLY=($(compgen -W 'tiny.en tiny base.en base small.en small medium.en medium large-v3-turbo-q5_0 large-v3-turbo large-v1 large-v2-q5_0 large-v2 large-v3-q5_0 large-v3 parakeet-v2 parakeet-v3 silero-vad speakers speakers-2022' -- "$word"));
            esac;;
        info)
            case $before in
            esac
            for other in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
                [ "$other" = -- ] && { compopt -o default; return; }
            done
            case $word in
            -*) COMPREPLY=($(compgen -W '--json --no-config --help -h --version' -- "$word"));;
            *) compopt -o default;
            esac;;
        path)
            case $before in
            esac
            for other in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
                [ "$other" = -- ] && { :; return; }
            done
            case $word in
            -*) COMPREPLY=($(compgen -W '--no-config --help -h --version' -- "$word"));;
            *) :;
            esac;;
        verify)
            case $before in
            esac
            for other in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
                [ "$other" = -- ] && { compopt -o default; return; }
            done
            case $word in
            -*) COMPREPLY=($(compgen -W '--no-config --help -h --version' -- "$word"));;
            *) compopt -o default;
            esac;;
        convert)
            case $before in
            --type) COMPREPLY=($(compgen -W 'f32 f16 bf16 q8_0 q5_0 q5_1 q4_0 q4_1' -- "$word")); return;;
            esac
            for other in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
                [ "$other" = -- ] && { compopt -o default; return; }
            done
            case $word in
            -*) COMPREPLY=($(compgen -W '--type --force -f --no-config --help -h --version' -- "$word"));;
            *) compopt -o default;
            esac;;
        remove)
            case $before in
            esac
            for other in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
                [ "$other" = -- ] && { :; return; }
            done
            case $word in
            -*) COMPREPLY=($(compgen -W '--yes -y --no-config --help -h --version' -- "$word"));;
            *) :;
            esac;;
        esac;;
    bench)
        case $before in
        --model|-m) _whisper_local_models; return;;
        --model-dir) compopt -o dirnames; return;;
        --compute-type) COMPREPLY=($(compgen -W 'auto float32 bfloat16 int16 int8' -- "$word")); return;;
        --backend) COMPREPLY=($(compgen -W 'auto openblas reference' -- "$word")); return;;
        --threads|-t) :; return;;
        --packed-weights) compopt -o dirnames; return;;
        --tokens) :; return;;
        --beam-size) :; return;;
        --rounds) :; return;;
        --hours) :; return;;
        --commit) COMPREPLY=($(compgen -W 'utterance agree align' -- "$word")); return;;
        --step) :; return;;
        --guard) :; return;;
        --certainty) :; return;;
        --patience) :; return;;
        --shown-certainty) :; return;;
        --carry) :; return;;
        --voice-without-text) :; return;;
        --context) :; return;;
        --margin) COMPREPLY=($(compgen -W 'auto' -- "$word")); return;;
        --closing-margin) COMPREPLY=($(compgen -W 'auto' -- "$word")); return;;
        --repeat) :; return;;
        --vad-model) COMPREPLY=($(compgen -W 'auto energy silero' -- "$word")); return;;
        --texts) compopt -o default; return;;
        esac
        for other in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
            [ "$other" = -- ] && { :; return; }
        done
        case $word in
        -*) COMPREPLY=($(compgen -W '--model -m --model-dir --compute-type --backend --threads -t --packed-weights --tokens --beam-size --rounds --json --limits --processor-time --compare --live --hours --commit --step --guard --certainty --patience --shown-certainty --carry --voice-without-text --context --margin --closing-margin --repeat --no-draft --vad-model --texts --no-config --help -h --version' -- "$word"));;
        *) :;
        esac;;
    doctor)
        case $before in
        esac
        for other in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
            [ "$other" = -- ] && { :; return; }
        done
        case $word in
        -*) COMPREPLY=($(compgen -W '--microphone --no-config --help -h --version' -- "$word"));;
        *) :;
        esac;;
    completions)
        case $before in
        esac
        for other in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
            [ "$other" = -- ] && { COMPREPLY=($(compgen -W 'bash zsh fish' -- "$word")); return; }
        done
        case $word in
        -*) COMPREPLY=($(compgen -W '--no-config --help -h --version' -- "$word"));;
        *) COMPREPLY=($(compgen -W 'bash zsh fish' -- "$word"));
        esac;;
    esac
}
complete -F _whisper_local whisper-local
